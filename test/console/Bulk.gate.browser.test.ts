/** Changes of several objects at once, in a real browser. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough, thoroughly } from "../support/Seed.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(
  (started) => {
    api = started
  },
  () => startApiAlone({ MAX_BULK_OBJECTS: "50" })
)

/** Makes sites of these names, which no test shares. */
const makeSites = (names: ReadonlyArray<string>, fields: object = {}) =>
  api.makeAll(
    "dcim/sites",
    names.map((name) => ({ ...named(name), ...fields }))
  )

const namesNow = async (query: string) => {
  const found = await api.call<List>("GET", `/api/dcim/sites/?limit=100&${query}`)
  return found.json.results.map(({ name }) => name)
}

const tick = async (page: Page, ...names: ReadonlyArray<string>) => {
  for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check()
}

const act = (page: Page, title: string) => page.click(`.bulk-bar button:has-text("${title}")`)

describe.skipIf(!hasBrowser)("the selection of a list", () => {
  it("tells how many rows are selected, by mouse, by key and all at once", async () => {
    await makeSites(["Sel 1", "Sel 2", "Sel 3"])
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=Sel")
    const told = () => page.textContent("[data-selected]")
    await tick(page, "Sel 2")
    expect(await told()).toBe("1 selected:")
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    expect(await told()).toBe("2 selected:")
    await page.check("[data-select-page]")
    expect(await told()).toBe("3 selected:")
    expect(await faultsOf(page)).toEqual([])
    expect(problems).toEqual([])
    await close()
  })

  it("is not there for those who may only view", async () => {
    const user = await makeUser(api, "viewer", { types: ["dcim.site"], actions: ["view"] })
    const [site] = await makeSites(["View 1"])
    const { page, close } = await loggedInAs(user.name)
    await page.goto("/dcim/sites/")
    expect(await page.locator(".bulk-bar, [name=id], main >> text=Import").count()).toBe(0)
    for (const step of ["delete", "rename", "edit"]) {
      expect((await page.goto(`/dcim/sites/${step}/`))?.status()).toBe(403)
      const reply = await page.request.post(`/dcim/sites/${step}/`, { form: { id: `${site}`, confirmed: "1" } })
      expect(reply.status()).toBe(403)
    }
    expect(await namesNow("name=View 1")).toEqual(["View 1"])
    await close()
  })
})

describe.skipIf(!hasBrowser)("deleting several objects", () => {
  it("names them and what goes along, and deletes them after a confirmation, without scripts", async () => {
    const [first] = await makeSites(["Del 1", "Del 2", "Del 3"])
    await api.call("POST", "/api/dcim/locations/", { ...named("Room"), site: first })
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/dcim/sites/?name__isw=Del&limit=2")
    await tick(page, "Del 1", "Del 2")
    await act(page, "Delete")
    expect(await page.textContent("h1")).toBe("Delete 2 sites")
    expect(await page.locator("[aria-labelledby=selected] li").allTextContents()).toEqual(["Del 1", "Del 2"])
    expect(await page.innerText("[aria-labelledby=effect-delete]")).toContain("1 location by site")
    expect(await namesNow("name__isw=Del")).toHaveLength(3)
    await page.click("text=Delete 2 sites >> visible=true >> nth=-1")
    await page.waitForURL("**/dcim/sites/?name__isw=Del&limit=2")
    expect(await namesNow("name__isw=Del")).toEqual(["Del 3"])
    await close()
  })

  thorough("takes all that match on other pages too, and asks again if others match by then", async () => {
    await makeSites(["All 1", "All 2", "All 3"])
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=All&limit=2")
    await page.check("[name=all]")
    await act(page, "Delete")
    expect(await page.textContent("h1")).toBe("Delete 3 sites")
    await makeSites(["All 4"])
    await page.click(".form-end button")
    expect(await page.textContent("[role=alert]")).toContain("have changed since you opened the page")
    expect(await page.textContent("h1")).toBe("Delete 4 sites")
    expect(problems).toEqual([])
    expect(await faultsOf(page)).toEqual([])
    await page.click(".form-end button")
    await page.waitForURL("**/dcim/sites/?name__isw=All&limit=2")
    expect(await namesNow("name__isw=All")).toEqual([])
    await close()
  })

  thorough("deletes nothing if one object is protected, and names what protects it", async () => {
    const [first] = await makeSites(["Prot 1", "Prot 2"])
    await api.call("POST", "/api/dcim/racks/", { name: "Rack of Prot", site: first })
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=Prot")
    await page.check("[data-select-page]")
    await act(page, "Delete")
    expect(await page.innerText("[aria-labelledby=effect-forbid]")).toContain("1 rack by site")
    await page.click(".form-end button")
    expect(await page.textContent("[role=alert]")).toContain("Rack of Prot")
    expect(await namesNow("name__isw=Prot")).toHaveLength(2)
    await close()
  })

  thorough("refuses more objects than a change may have, and says so when none is selected", async () => {
    await makeSites(Array.from({ length: 50 }, (_, at) => `Many ${at}`))
    await makeSites(["Many 50"])
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=Many&limit=25")
    await act(page, "Delete")
    expect(await page.textContent("[role=alert]")).toContain("You selected no object.")
    await page.click("text=Back to the list")
    await page.check("[name=all]")
    await act(page, "Delete")
    expect(await page.textContent("[role=alert]")).toContain("A change may have at most 50 objects (MAX_BULK_OBJECTS)")
    await close()
  })

  it("shows and deletes only what the user may see and delete", async () => {
    const user = await makeUser(
      api,
      "some",
      { types: ["dcim.site"], actions: ["view"] },
      { types: ["dcim.site"], actions: ["delete"], constraints: { status: "planned" } }
    )
    const sites = [
      ...(await makeSites(["Mine 1"], { status: "planned" })),
      ...(await makeSites(["Not mine 1"], { status: "active", facility: "M" }))
    ]
    await api.call("POST", "/api/dcim/locations/", { ...named("Hidden room"), site: sites[0] })
    const { page, close } = await loggedInAs(user.name)
    await page.goto("/dcim/sites/?name__ic=mine 1")
    await page.check("[data-select-page]")
    await act(page, "Delete")
    expect(await page.locator("[aria-labelledby=selected] li").allTextContents()).toEqual(["Mine 1"])
    expect(await page.textContent(".note")).toContain("1 of the selected objects is left out")
    expect(await page.locator("[aria-labelledby=effect-delete]").count()).toBe(0)
    await page.click(".form-end button")
    await page.waitForURL("**/dcim/sites/**")
    expect(await namesNow("name__ic=mine 1")).toEqual(["Not mine 1"])
    await close()
  })
})

thoroughly.skipIf(!hasBrowser)("renaming several objects", () => {
  it("shows each new name before it writes them, without scripts", async () => {
    await makeSites(["Ren 1", "Ren 2", "Ren x"])
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/dcim/sites/?name__isw=Ren")
    await tick(page, "Ren 1", "Ren 2", "Ren x")
    await act(page, "Rename")
    await page.fill("[name=find]", String.raw`(\w+) (?P<n>\d)`)
    await page.fill("[name=replace]", String.raw`\g<n>-\1`)
    await page.click("text=Preview")
    expect(await page.textContent("[role=alert]")).toContain("Correct the marked field")
    expect(await page.textContent(".field-error")).toBe("No selected name would change.")
    await page.check("[name=pattern]")
    await page.click("text=Preview")
    expect(await page.locator("tbody tr").allInnerTexts()).toEqual(["Ren 1\t1-Ren", "Ren 2\t2-Ren"])
    expect(await page.textContent(".object-form p")).toContain("1 selected would keep its name")
    expect(await namesNow("name__isw=Ren")).toHaveLength(3)
    await page.click("text=Rename 2 sites >> visible=true >> nth=-1")
    await page.waitForURL("**/dcim/sites/?name__isw=Ren")
    expect(await namesNow("name__iew=-Ren")).toEqual(["1-Ren", "2-Ren"])
    await close()
  })

  it("refuses wrong patterns and wrong names, and keeps what was typed", async () => {
    await makeSites(["Bad 1", "Bad 2", "Taken"])
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=Bad")
    await page.check("[data-select-page]")
    await act(page, "Rename")
    expect(await faultsOfState(page)).toEqual([])
    await page.fill("[name=find]", "Bad (")
    await page.check("[name=pattern]")
    await page.click("text=Preview")
    expect(await page.textContent(".field-error")).toContain("missing closing )")
    expect(await page.inputValue("[name=find]")).toBe("Bad (")
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("find")
    await page.fill("[name=find]", "Bad [12]")
    await page.fill("[name=replace]", "Taken")
    await page.click("text=Preview")
    expect(await page.locator(".faults li").allInnerTexts()).toEqual([
      "Bad 1: Name: There is another site with this name. Choose another one.",
      "Bad 2: Name: There is another site with this name. Choose another one."
    ])
    expect(await page.locator("button[value=apply]").count()).toBe(0)
    expect(await faultsOfState(page)).toEqual([])
    await page.click("button:has-text('Change')")
    expect(await page.inputValue("[name=replace]")).toBe("Taken")
    await close()
  })

  it("asks again if a name has changed since the preview", async () => {
    const [site] = await makeSites(["Old 1", "Old 2"])
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/?name__isw=Old")
    await page.check("[data-select-page]")
    await act(page, "Rename")
    await page.fill("[name=find]", "Old")
    await page.fill("[name=replace]", "Older")
    await page.click("text=Preview")
    await api.call("PATCH", `/api/dcim/sites/${site}/`, { name: "Old one" })
    await page.click("button[value=apply]")
    expect(await page.textContent("[role=alert]")).toContain("have changed since you opened the page")
    await page.click("button[value=apply]")
    await page.waitForURL("**/dcim/sites/?name__isw=Old")
    expect(await namesNow("name__isw=Old")).toEqual(["Older 2", "Older one"])
    await close()
  })
})
