/** Changing fields of several objects at once, in a real browser. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { makeUser, userPassword } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { faultsOf, faultsOfState, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  await api.call("POST", "/api/dcim/regions/", named("North"))
  await api.call("POST", "/api/extras/tags/", [named("red"), named("blue")])
}, sharedApi)

const makeSites = (names: ReadonlyArray<string>, fields: object = {}) =>
  api.makeAll(
    "dcim/sites",
    names.map((name) => ({ ...named(name), ...fields }))
  )

const sites = async (query: string) =>
  (await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `/api/dcim/sites/?${query}`)).json.results

/** The form for all objects that match the query. */
const openForm = async (page: Page, query: string) => {
  await page.goto(`/dcim/sites/?${query}`)
  for (const box of await page.locator("[name=id]").all()) await box.check()
  await page.click(".bulk-bar button:has-text('Edit')")
}

const rows = async (page: Page) =>
  (await page.locator(".changes tbody tr").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim())

describe.skipIf(!hasBrowser)("editing several objects", () => {
  it("changes only fields that are filled in or set empty, after a preview, without scripts", async () => {
    await makeSites(["E 1", "E 2"], { facility: "F", description: "old", status: "planned" })
    await makeSites(["E 3"], { status: "active", tags: [{ slug: "red" }] })
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await openForm(page, "name__isw=E&limit=100")
    await page.selectOption("[name=set-status]", "active")
    await page.fill("[name=set-region]", "north")
    await page.check("[name=empty][value=facility]")
    await page.fill("[name=add-tags]", "blue")
    await page.fill("[name=remove-tags]", "red")
    await page.click("text=Preview")
    expect(await page.textContent("h1")).toBe("Edit 3 sites")
    expect(await rows(page)).toEqual([
      "E 1 Status Planned Active",
      "Region — North",
      "Facility F —",
      "Tags — blue",
      ...["E 2 Status Planned Active", "Region — North", "Facility F —", "Tags — blue"],
      ...["E 3 Region — North", "Tags red blue"]
    ])
    expect((await sites("name__isw=E&status=planned")).length).toBe(2)
    await page.click("text=Back to the form")
    expect(await page.inputValue("[name=set-region]")).toBe("north")
    expect(await page.isChecked("[name=empty][value=facility]")).toBe(true)
    await page.click("text=Preview")
    await page.click("button[value=apply]")
    await page.waitForURL("**/dcim/sites/?name__isw=E&limit=100")
    for (const site of await sites("name__isw=E")) {
      expect(site).toMatchObject({ status: { value: "active" }, region: { slug: "north" }, facility: "" })
      expect(site["tags"]).toMatchObject([{ slug: "blue" }])
    }
    expect((await sites("name=E 1"))[0]).toMatchObject({ description: "old" })
    await close()
  })

  it("leaves objects alone that have the values already", async () => {
    await makeSites(["L 1"], { facility: "same" })
    await makeSites(["L 2"], { facility: "other" })
    const before = (await sites("name=L 1"))[0]!["last_updated"]
    const { page, close } = await loggedIn()
    await openForm(page, "name__isw=L")
    await page.fill("[name=set-facility]", "same")
    await page.click("text=Preview")
    expect(await page.innerText(".object-form p")).toContain("1 site would change, and 1 selected has these values")
    await page.click("button[value=apply]")
    await page.waitForURL("**/dcim/sites/?name__isw=L")
    expect((await sites("name=L 2"))[0]).toMatchObject({ facility: "same" })
    expect((await sites("name=L 1"))[0]!["last_updated"]).toBe(before)
    await close()
  })

  it("tells errors by object and beside the field, and keeps what was typed, without scripts", async () => {
    await makeSites(["W 1", "W 2"])
    // With scripts a tag or a region is picked from a list, so a wrong name cannot be typed.
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await openForm(page, "name__isw=W")
    await page.click("text=Preview")
    expect(await page.textContent("[role=alert]")).toContain("Fill in a field, or set one empty.")
    await page.fill("[name=add-tags]", "green, blue")
    await page.click("text=Preview")
    expect(await page.textContent("#e-add-tags")).toBe("There is no tag green.")
    await page.fill("[name=add-tags]", "")
    await page.fill("[name=set-region]", "south")
    await page.fill("[name=set-comments]", "\nkept")
    await page.click("text=Preview")
    expect(await page.locator(".faults li").allInnerTexts()).toEqual([
      expect.stringMatching(/^W 1: Region: /),
      expect.stringMatching(/^W 2: Region: /)
    ])
    expect(await page.textContent("#e-region")).toContain('There is no region with the slug "south"')
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("f-region")
    expect(await page.inputValue("[name=set-comments]")).toBe("\nkept")
    await close()
  })

  it("has a form that everybody can use, before and after an error", async () => {
    await makeSites(["F 1", "F 2"])
    const { page, close } = await loggedIn()
    await openForm(page, "name__isw=F")
    expect(await faultsOf(page)).toEqual([])
    await page.fill("[name=set-latitude]", "91")
    await page.click("text=Preview")
    expect(await page.locator("#e-latitude").count()).toBe(1)
    expect(await faultsOfState(page)).toEqual([])
    await close()
  })

  it("asks again if a value has changed since the preview", async () => {
    await makeSites(["M 1", "M 2"], { facility: "a" })
    const { page, close } = await loggedIn()
    await openForm(page, "name__isw=M")
    await page.fill("[name=set-facility]", "b")
    await page.click("text=Preview")
    expect(await faultsOfState(page)).toEqual([])
    const [site] = await sites("name=M 1")
    await api.call("PATCH", `/api/dcim/sites/${String(site!["id"])}/`, { facility: "theirs" })
    await page.click("button[value=apply]")
    expect(await page.textContent("[role=alert]")).toContain("have changed since you opened the page")
    expect(await rows(page)).toContain("M 1 Facility theirs b")
    await page.click("button[value=apply]")
    await page.waitForURL("**/dcim/sites/?name__isw=M")
    expect((await sites("name__isw=M")).map((each) => each["facility"])).toEqual(["b", "b"])
    await close()
  })

  it("keeps the form and the selection when the session has ended", async () => {
    await makeSites(["S 1", "S 2"], { facility: "a" })
    const user = await makeUser(api, "sleeper", { types: ["dcim.site"], actions: ["view", "change", "delete"] })
    const { page, close } = await loggedInAs(user.name, { javaScriptEnabled: false })
    await page.goto("/dcim/sites/?name__isw=S&limit=1")
    await page.check("[name=all]")
    await page.click(".bulk-bar button:has-text('Edit')")
    await page.fill("[name=set-facility]", "b")
    await page.click("text=Preview")
    await api.database.sql.query("update rackwire_session set expires = now() where user_id = $1", [user.id])
    await page.click("button[value=apply]")
    await page.fill("[name=username]", user.name)
    await page.fill("[name=password]", userPassword)
    await page.click("form button")
    await page.click("text=Continue with the form")
    expect(await page.textContent("h1")).toBe("Edit 2 sites")
    expect(await page.inputValue("[name=set-facility]")).toBe("b")
    expect((await sites("name__isw=S")).map((each) => each["facility"])).toEqual(["a", "a"])
    await page.click("text=Preview")
    await page.click("button[value=apply]")
    await page.waitForURL("**/dcim/sites/?name__isw=S&limit=1")
    expect(await page.innerText("[role=status]")).toBe("2 Sites saved.")
    await close()
  })

  it("changes nothing that the user may not change, nor into what the user may not", async () => {
    const user = await makeUser(
      api,
      "editor",
      { types: ["dcim.site"], actions: ["view"] },
      { types: ["dcim.site"], actions: ["change"], constraints: { status: "planned" } }
    )
    await makeSites(["P 1"], { status: "planned" })
    await makeSites(["P 2"], { status: "active" })
    const { page, close } = await loggedInAs(user.name)
    await openForm(page, "name__isw=P")
    expect(await page.locator("[aria-labelledby=selected] li").allTextContents()).toEqual(["P 1"])
    await page.selectOption("[name=set-status]", "active")
    await page.click("text=Preview")
    expect(await page.textContent("[role=alert]")).toContain("You may not give these values to these objects.")
    expect(await page.inputValue("[name=set-status]")).toBe("active")
    expect((await sites("name=P 1"))[0]).toMatchObject({ status: { value: "planned" } })
    await close()
  })
})
