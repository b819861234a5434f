/** Forms that come too late: somebody else has changed the object, or the session of the form has ended. */
import { describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named, password } from "../support/Client.ts"
import { accessibility, at, faultsOf, hasBrowser, logIn, sideways } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole((started) => {
  api = started
}, sharedApi)

const pathOf = async (name: string, fields: Json = {}) => {
  const made = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", { ...named(name), ...fields })
  return `/dcim/sites/${made.json.id}/`
}

const stored = async (path: string) => (await api.call<Json>("GET", `/api${path}`)).json

describe.skipIf(!hasBrowser)("a form of an object that somebody else has changed", () => {
  it("asks field by field which value is saved, without scripts", async () => {
    const [mine, theirs] = [
      await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Mine")),
      await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Theirs"))
    ]
    const path = await pathOf("Bodo", { facility: "before", region: mine.json.id, description: "before" })
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto(`${path}edit/`)
    await api.call("PATCH", `/api${path}`, {
      ...{ facility: "theirs", description: "theirs", region: theirs.json.id, physical_address: "theirs" }
    })
    await page.fill("#f-facility", "mine")
    await page.fill("#f-description", "mine")
    await page.fill("#f-shipping_address", "mine alone")
    await page.click(".form-end button")
    const choice = (name: string) => page.locator(".form-row", { has: page.locator(`#f-${name}`) }).locator(".conflict")
    const texts = await choice("facility").locator("label").allTextContents()
    expect(texts.map((text) => text.trim())).toEqual(["Yours: mine", "Now: theirs", "Before: before"])
    // Fields that the sender did not change stay as they are now, unless the sender chooses otherwise.
    expect(await choice("region").locator("label:has(:checked)").textContent()).toContain("Now: Theirs")
    expect(await choice("shipping_address").count()).toBe(0)
    expect(await sideways(page)).toEqual([])
    await choice("facility").locator("[value=was]").check()
    await page.click(".form-end button")
    await page.waitForURL(at(path))
    expect(await stored(path)).toMatchObject({
      ...{ facility: "before", description: "mine", shipping_address: "mine alone", physical_address: "theirs" },
      region: { name: "Theirs" }
    })
    await close()
  })

  it("asks again if it changes once more meanwhile", async () => {
    const path = await pathOf("Vardo", { facility: "before" })
    const { page, close } = await loggedIn()
    await page.goto(`${path}edit/`)
    await page.fill("#f-facility", "mine")
    for (const facility of ["theirs", "theirs again"]) {
      await api.call("PATCH", `/api${path}`, { facility })
      await page.click(".form-end button")
      await page.locator(".conflict label", { hasText: `Now: ${facility}` }).waitFor()
    }
    expect(await faultsOf(page)).toEqual([])
    await page.check(".conflict [value=now]")
    await page.fill("#f-facility", "mine again")
    await page.click(".form-end button")
    await page.waitForURL(at(path))
    expect(await stored(path)).toMatchObject({ facility: "mine again" })
    await close()
  })
})

/** Ends the session that began last. */
const endSession = () =>
  api.database.sql.query(
    "update rackwire_session set expires = now() where begun = (select max(begun) from rackwire_session)"
  )

describe.skipIf(!hasBrowser)("a form whose session has ended", () => {
  it("keeps what was typed until its sender has logged in again, and saves nothing by itself", async () => {
    const path = await pathOf("Lakselv")
    const { page, close } = await loggedInAs("admin", { javaScriptEnabled: false })
    await page.goto(`${path}edit/`)
    await page.fill("#f-comments", "first line\nsecond line")
    await endSession()
    await page.click(".form-end button")
    expect(await page.getByRole("alert").textContent()).toContain("Your session has ended. Nothing was saved")
    await page.fill("[name=username]", "admin")
    await page.fill("[name=password]", "wrong")
    await page.click("form button")
    await page.fill("[name=username]", "admin")
    await page.fill("[name=password]", password)
    await page.click("form button")
    await page.getByRole("button", { name: "Continue with the form" }).click()
    expect(await page.inputValue("#f-comments")).toBe("first line\nsecond line")
    expect(await stored(path)).toMatchObject({ comments: "" })
    await page.click(".form-end button")
    await page.waitForURL(at(path))
    expect(await stored(path)).toMatchObject({ comments: "first line\nsecond line" })
    await close()
  })

  it("of an entry in the journal, a saved filter or a token keeps what was typed, too", async () => {
    const { page, close } = await loggedInAs("admin", { javaScriptEnabled: false })
    const path = await pathOf("Alta")
    const forms = [
      { at: `${path}journal/`, input: "#comments", value: "It was moved.", button: "Add entry" },
      { at: "/dcim/sites/?status=active", input: ".menu-form [name=name]", value: "Active ones", button: "Save" },
      { at: "/user/api-tokens/", input: "#description", value: "A laptop", button: "Add" }
    ]
    for (const { at, input, value, button } of forms) {
      await page.goto(at)
      const menu = page.locator("main summary:has-text('Saved filters')")
      if ((await menu.count()) > 0) await menu.click()
      await page.fill(`main ${input}`, value)
      await endSession()
      await page.click(`main button:text-is("${button}")`)
      expect([at, await page.getByRole("alert").textContent()]).toEqual([
        at,
        expect.stringContaining("Your session has ended. Nothing was saved")
      ])
      await page.fill("[name=username]", "admin")
      await page.fill("[name=password]", password)
      await page.click("form button")
      await page.getByRole("button", { name: "Continue with the form" }).click()
      expect([at, await page.inputValue(`main ${input}`)]).toEqual([at, value])
    }
    await close()
  })

  it("is shown again with the token of a session that began elsewhere", async () => {
    const { page, close } = await loggedInAs("admin")
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Hammerfest")
    await page.fill("#f-slug", "hammerfest")
    const other = await page.context().newPage()
    await other.goto("/logout/")
    await other.click("form button")
    await logIn(other, "admin", password)
    await page.click(".form-end button")
    await page.waitForSelector("h1:has-text('The form is older than your session')")
    expect(await accessibility(page)).toEqual([])
    await page.getByRole("button", { name: "Continue with the form" }).click()
    expect(await page.inputValue("#f-name")).toBe("Hammerfest")
    await page.click(".form-end button")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    await close()
  })

  it("is not sent where it is too large, and refused in words without scripts", async () => {
    const { page, close } = await loggedIn()
    const send = async (from: typeof page) => {
      await from.goto("/dcim/sites/add/")
      await from.fill("#f-comments", "x".repeat(300_000))
      await from.click(".form-end button")
      return from.locator("main").textContent()
    }
    expect(await send(page)).toContain("The form is too large to be sent.")
    expect((await page.inputValue("#f-comments")).length).toBe(300_000)
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const many = await page.request.post("/dcim/sites/add/", { data: "a&".repeat(10_001), headers })
    expect([many.status(), await many.text()]).toEqual([413, expect.stringContaining("more than 10000 fields")])
    await close()
    const plain = await loggedIn({ javaScriptEnabled: false })
    expect(await send(plain.page)).toContain("The form is larger than 256")
    await plain.close()
  })
})
