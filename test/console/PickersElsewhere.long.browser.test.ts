/** Pickers in a real browser: adding what they do not find, and those of filters and bulk edits. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { accessibility, at, hasBrowser } from "../support/Browser.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

/** Objects that a picker has found, without the ways to add one. */
const found = "[role=listbox]:visible [role=option]:not(.picker-add)"

const ids = new Map<string, number>()

const make = async (collection: string, body: Json, as: string): Promise<number> => {
  const id = await api.make(collection, body)
  ids.set(as, id)
  return id
}

const { loggedIn } = startConsole(async (started) => {
  api = started
  await make("dcim/regions", named("Nordic Islands"), "Islands")
  await make("extras/tags", named("Core"), "Core")
  const site = await make("dcim/sites", named("Oslo"), "Oslo")
  const manufacturer = await make("dcim/manufacturers", named("Acme"), "Acme")
  const device_type = await make("dcim/device-types", { model: "A1", slug: "a1", manufacturer }, "A1")
  const device_role = await make("dcim/device-roles", named("Leaf"), "Leaf")
  await make("dcim/racks", { name: "rack-oslo", site }, "rack-oslo")
  await make("dcim/devices", { name: "leaf-01", device_type, device_role, site }, "leaf-01")
}, sharedApi)

describe.skipIf(!hasBrowser)("a picker", () => {
  it("adds an object at once where a name is enough, in the chosen place", async () => {
    const { page, close } = await loggedIn()
    await page.goto(`/dcim/devices/add/?site=${ids.get("Oslo")}`)
    await page.locator("#f-rack").focus()
    await page.keyboard.type("R-77")
    await page.getByRole("option", { name: "Add rack “R-77” at once" }).click()
    await eventually("it is chosen", async () => /^\d+$/.test(await page.inputValue("[name=rack]")))
    expect(await page.inputValue("#f-rack")).toBe("R-77")
    const id = await page.inputValue("[name=rack]")
    expect((await api.call("GET", `/api/dcim/racks/${id}/`)).json).toMatchObject({
      name: "R-77",
      site: { id: ids.get("Oslo") }
    })
    await page.locator("#f-tags").focus()
    await page.keyboard.type("Backbone")
    await page.getByRole("option", { name: "Add tag “Backbone” at once" }).click()
    await page.getByRole("button", { name: "Remove Backbone" }).waitFor()
    await close()
  })

  it("opens the form of what is missing in another tab, and chooses what is saved there", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto(`/ipam/ip-addresses/add/?assigned_object_type=dcim.interface`)
    await page.locator("#f-assigned_object_id").focus()
    await page.keyboard.type("lo7")
    const opening = page.waitForEvent("popup")
    await page.getByRole("option", { name: "Add interface “lo7”…" }).click()
    const tab = await opening
    expect(await tab.inputValue("#f-name")).toBe("lo7")
    await tab.locator("#f-device").focus()
    await tab.keyboard.type("leaf-01")
    await tab.getByRole("option", { name: "leaf-01" }).first().click()
    await tab.selectOption("#f-type", "virtual")
    const closing = tab.waitForEvent("close")
    await tab.click(".form-end .btn-primary")
    await closing
    await eventually("it is chosen", async () => /^\d+$/.test(await page.inputValue("[name=assigned_object_id]")))
    expect(await page.inputValue("#f-assigned_object_id")).toBe("lo7")
    const id = await page.inputValue("[name=assigned_object_id]")
    expect((await api.call("GET", `/api/dcim/interfaces/${id}/`)).json).toMatchObject({ name: "lo7" })
    expect(problems).toEqual([])
    await close()
  })

  it("offers adding to users who may add", async () => {
    const user = await makeUser(api, "looker", { types: ["dcim.site", "dcim.rack"], actions: ["view"] })
    const headers = { authorization: `Token ${user.token}` }
    const response = await fetch(`${api.service.url}/dcim/racks/pick/?q=R9&site=${ids.get("Oslo")}`, { headers })
    expect(await response.json()).toEqual({ results: [], more: 0 })
    const body = new URLSearchParams({ q: "R9", site: `${ids.get("Oslo")}` })
    const refused = await fetch(`${api.service.url}/dcim/racks/pick/`, { method: "POST", headers, body })
    expect(refused.status).toBe(403)
  })

  it("in a filter takes several objects, narrowed by others that are chosen", async () => {
    const site = await make("dcim/sites", named("Molde"), "Molde")
    await make("dcim/racks", { name: "rack-molde", site }, "rack-molde")
    const { page, close } = await loggedIn()
    await page.goto("/dcim/racks/")
    await page.click(".filters > summary")
    for (const name of ["Oslo", "Molde"]) {
      await page.locator("#filter-site").focus()
      await page.keyboard.type(name)
      await page.getByRole("option", { name }).first().waitFor()
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: `Remove ${name}` }).waitFor()
    }
    expect(await accessibility(page)).toEqual([])
    await page.click(".filters .btn-primary")
    await page.waitForURL(`**/dcim/racks/?site_id=${ids.get("Oslo")}&site_id=${site}`)
    expect(await page.locator(".chips .chip-f").allInnerTexts()).toEqual([
      expect.stringContaining("Site: Oslo"),
      expect.stringContaining("Site: Molde")
    ])
    await page.goto(`/dcim/devices/?site_id=${site}`)
    await page.click(".filters > summary")
    await page.locator("#filter-rack").focus()
    await page.keyboard.type("rack")
    await page.locator(found).first().waitFor()
    expect(await page.locator(found).allInnerTexts()).toEqual([expect.stringContaining("rack-molde")])
    expect(await page.locator(".picker-add").count()).toBe(0)
    await page.fill("#filter-rack", "")
    await page.getByRole("button", { name: "Remove Molde" }).click()
    await page.click(".filters .btn-primary")
    await page.waitForURL(at("/dcim/devices/"))
    await close()
  })

  it("in a filter is boxes and a text of keys without scripts", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.goto(`/dcim/devices/?site_id=${ids.get("Oslo")}`)
    await page.click(".filters > summary")
    expect(await page.isChecked(`.filters [type=checkbox][name=site_id][value="${ids.get("Oslo")}"]`)).toBe(true)
    await page.fill("#filter-device_role", "leaf, no-such")
    await page.click(".filters .btn-primary")
    const query = new URL(page.url()).searchParams
    expect(query.getAll("device_role_id")).toEqual([`${ids.get("Leaf")}`, "no-such"])
    expect(await page.innerText("main")).toContain("no-such")
    await page.goto("/dcim/devices/?site=oslo")
    await page.click(".filters > summary")
    await page.click(".filters .btn-primary")
    expect(new URL(page.url()).search).toBe(`?site_id=${ids.get("Oslo")}`)
    await close()
  })

  it("in a bulk edit takes the object that is chosen", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?slug=oslo")
    await page.check("[name=id]")
    await page.click(".bulk-bar button:has-text('Edit')")
    for (const [field, name] of [
      ["region", "Nordic Islands"],
      ["add-tags", "Core"]
    ] as const) {
      await page.locator(`#f-${field}`).focus()
      await page.keyboard.type(name)
      await page.getByRole("option", { name }).first().waitFor()
      await page.keyboard.press("Enter")
    }
    await page.click("text=Preview")
    expect((await page.locator(".changes tbody").innerText()).replaceAll(/\s+/g, " ")).toContain(
      "Region — Nordic Islands Tags — Core"
    )
    await page.click("text=Back to the form")
    expect(await page.inputValue("#f-region")).toBe("Nordic Islands")
    await page.getByRole("button", { name: "Remove Core" }).waitFor()
    await close()
  })
})
