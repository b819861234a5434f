/** Lists in a real browser: columns, pages, filters, and what a list says that has no objects. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const sites = Array.from({ length: 60 }, (_, at) => ({
    ...named(`Site ${at + 1}`),
    status: at < 40 ? "active" : "planned",
    facility: `F${at}`
  }))
  await api.call("POST", "/api/dcim/sites/", sites)
}, sharedApi)

const firstCells = (page: Page) => page.locator("#objects tbody th").allTextContents()
const headings = async (page: Page) =>
  (await page.locator("#objects thead th:not(.select)").allTextContents()).map((text) => text.trim())

describe.skipIf(!hasBrowser)("a list", () => {
  thorough("shows the columns that the reader has chosen, until they are reset", async () => {
    const watched = await loggedIn({ javaScriptEnabled: false })
    const { page, close } = watched
    await page.goto("/dcim/sites/?status=active")
    const usual = await headings(page)
    expect(usual).toContain("Region")
    await page.click("main summary:has-text('Columns')")
    while ((await page.locator("[name=column]:checked").count()) > 0)
      await page.uncheck("[name=column]:checked >> nth=0")
    await page.check("[name=column][value=facility]")
    await page.check("[name=column][value=device_count]")
    await page.click(".menu-form button:has-text('Apply')")
    await page.waitForURL("**/dcim/sites/?status=active&columns=facility%2Cdevice_count")
    expect(await headings(page)).toEqual(["Name", "Facility", "Device count"])
    await page.goto("/dcim/sites/")
    expect(await headings(page)).toEqual(["Name", "Facility", "Device count"])
    await page.goto("/dcim/regions/")
    expect(await headings(page)).not.toContain("Facility")
    await page.goto("/dcim/sites/")
    await page.click("main summary:has-text('Columns')")
    await page.click("text=Reset")
    expect(await headings(page)).toEqual(usual)
    await close()
  })

  thorough("has numbered pages of the size that the reader chooses", async () => {
    const watched = await loggedIn()
    const { page, close } = watched
    await page.goto("/dcim/sites/?ordering=id&limit=25")
    await page.click(".pagination >> text=3")
    await page.waitForURL("**&offset=50")
    expect(await firstCells(page)).toHaveLength(10)
    expect(await page.locator("[aria-current=page]", { hasText: "Page 3" }).count()).toBe(1)
    await page.click(".menu-up summary")
    await page.click("text=100 per page")
    await page.waitForURL("**/dcim/sites/?ordering=id&limit=100")
    expect(await firstCells(page)).toHaveLength(60)
    await page.goto("/dcim/sites/?limit=25&offset=100")
    expect(await page.textContent("main")).toContain("The list ends before this page.")
    await page.goto("/dcim/sites/?ordering=id&limit=25&offset=25")
    expect([...(await faultsOf(watched.page)), ...watched.problems]).toEqual([])
    await close()
  })

  it("filters by any field, lookup and value, and goes back with the browser", async () => {
    const watched = await loggedIn()
    const { page, close } = watched
    await page.goto("/dcim/sites/?status=active&limit=100")
    await page.click(".filters summary")
    await page.click("text=Any other filter")
    await page.selectOption("[name=_field]", "facility")
    await page.selectOption("[name=_lookup]", { label: "begins with" })
    await page.fill("[name=_value]", "F1")
    expect([...(await faultsOfState(watched.page)), ...watched.problems]).toEqual([])
    await page.click(".filters button")
    await page.waitForURL("**/dcim/sites/?limit=100&status=active&facility__isw=F1")
    expect(await firstCells(page)).toHaveLength(11)
    expect(await page.locator(".chip-f").allInnerTexts()).toEqual([
      expect.stringContaining("Status: Active"),
      expect.stringContaining("Facility begins with: F1")
    ])
    await page.click(".chip-f >> nth=0")
    await page.waitForURL("**/dcim/sites/?limit=100&facility__isw=F1")
    await page.goBack()
    await page.locator(".chip-f >> nth=1").waitFor()
    await close()
  })

  thorough("saves its filters under a name, which others apply", async () => {
    const { page, close } = await loggedIn()
    const save = async (name: string) => {
      await page.goto("/dcim/sites/?status=planned&limit=25")
      await page.click("main summary:has-text('Saved filters')")
      await page.fill("[name=name]:visible", name)
      await page.check("[name=shared]")
      await page.click("text=Save >> visible=true >> nth=-1")
    }
    await save("Plannéd ones")
    await page.waitForURL("**/dcim/sites/?limit=25&filter=planned-ones")
    expect(await page.textContent(".tf")).toContain("of 20")
    await save("Plannéd ones")
    await page.waitForSelector(".field-error")
    expect(await page.textContent(".field-error")).toContain("There is another saved filter with this name")
    expect(await page.inputValue("[aria-invalid]")).toBe("Plannéd ones")
    await close()
    const user = await makeUser(api, "filters", { types: ["dcim.site"], actions: ["view"] })
    const other = await loggedInAs(user.name, { javaScriptEnabled: false })
    await other.page.goto("/dcim/sites/?status=active")
    await other.page.click("main summary:has-text('Saved filters')")
    expect(await other.page.locator(".menu-form [name=name]").count()).toBe(0)
    await other.page.click("text=Plannéd ones")
    expect(await other.page.textContent(".tf")).toContain("of 20")
    await other.close()
  })

  thorough("names the filters when no object matches, and says what to do when there is none", async () => {
    const watched = await loggedIn()
    const { page, close } = watched
    await page.goto("/dcim/sites/?status=retired&name__ic=x")
    expect(await page.innerText(".empty")).toContain("The filters are Status: Retired, Name contains: x.")
    await page.click("text=Remove all filters")
    await page.waitForSelector("#objects tbody th")
    await page.goto("/dcim/rack-roles/")
    expect(await page.textContent(".empty")).toContain("There are no rack roles that you may view.")
    expect(await page.getAttribute(".empty a >> nth=0", "href")).toBe("/dcim/rack-roles/add/")
    expect([...(await faultsOf(watched.page)), ...watched.problems]).toEqual([])
    await close()
  })

  it("tells an unknown filter instead of showing all objects", async () => {
    const { page, close } = await loggedIn()
    expect((await page.goto("/dcim/sites/?nmae=Oslo"))?.status()).toBe(400)
    expect(await page.getByRole("alert").textContent()).toContain('Nmae (nmae): Sites have no filter "nmae".')
    expect(await page.locator("#objects").count()).toBe(0)
    await close()
  })

  it("exports what matches its filters, or all", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?status=planned&limit=25&columns=facility")
    await page.click("main summary:has-text('Export')")
    const counts = await Promise.all(
      ["JSON >> nth=0", "JSON >> nth=1"].map(async (link) => {
        const address = await page.getAttribute(`.menu-list >> text=${link}`, "href")
        return ((await (await page.request.get(address!)).json()) as List["results"]).length
      })
    )
    expect(counts).toEqual([20, 60])
    const forChanges = await page.getAttribute(".menu-list >> text=CSV with ids >> nth=0", "href")
    expect(await (await page.request.get(forChanges!)).text()).toMatch(/^id,name,slug,status,region\.id,/)
    await close()
  })

  it("cuts a long name before the link of the next column", async () => {
    const region = await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("x".repeat(90)))
    const tenant = await api.call<{ readonly id: number }>("POST", "/api/tenancy/tenants/", named("Next"))
    const site = { ...named("Cut"), region: region.json.id, tenant: tenant.json.id }
    await api.call("POST", "/api/dcim/sites/", site)
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?name=Cut")
    const long = await page.locator(`#objects a[href="/dcim/regions/${region.json.id}/"]`).boundingBox()
    const next = await page.locator(`#objects a[href="/tenancy/tenants/${tenant.json.id}/"]`).boundingBox()
    expect(long!.x + long!.width).toBeLessThan(next!.x)
    await close()
  })
})
