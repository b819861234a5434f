/** Lists and forms that change in place, in a real browser. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { at, hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

let api: Api

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  const sites = Array.from({ length: 60 }, (_, at) => ({
    ...named(`Site ${at + 1}`),
    status: at < 40 ? "active" : "planned"
  }))
  await api.call("POST", "/api/dcim/sites/", sites)
}, sharedApi)

/** Marks the document: the mark is gone when the page has been loaded anew. */
const mark = (page: Page) => page.evaluate("document.marked = true")
const isMarked = (page: Page) => page.evaluate<boolean>("document.marked === true")
const focused = (page: Page) => page.evaluate<string>("document.activeElement.id")
const rows = (page: Page) => page.locator("#objects tbody th").allTextContents()
const sitesNamed = async (name: string) =>
  (await api.call<List>("GET", `/api/dcim/sites/?name=${encodeURIComponent(name)}`)).json.results

describe.skipIf(!hasBrowser)("a list", () => {
  it("sorts, filters and pages in place, with every state in its address, and the browser goes back", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/?limit=25")
    await mark(page)
    await page.click("#objects thead a:has-text('Name')")
    await page.waitForURL("**/dcim/sites/?limit=25&ordering=-name")
    await page.waitForSelector("[aria-sort=descending]")
    expect((await rows(page))[0]).toBe("Site 60")
    await page.click(".filters summary")
    await page.selectOption("[name=status]", "planned")
    await page.click(".filters button")
    await page.waitForURL("**/dcim/sites/?limit=25&ordering=-name&status=planned")
    expect(await page.textContent("div.chips")).toContain("Planned")
    await page.click(".chip-f")
    await page.waitForURL("**/dcim/sites/?limit=25&ordering=-name")
    await page.click("a[rel=next]")
    await page.waitForURL("**/dcim/sites/?limit=25&ordering=-name&offset=25")
    expect((await rows(page))[0]).toBe("Site 35")
    expect(await isMarked(page)).toBe(true)
    // Content that was loaded later has the additions of the scripts too.
    await page.check("[data-select-page]")
    expect(await page.textContent("[data-selected]")).toBe("25 selected:")
    await page.goBack()
    await page.waitForURL("**/dcim/sites/?limit=25&ordering=-name")
    await page.waitForSelector("#objects tbody tr:first-child th:has-text('Site 60')")
    await page.click("#objects tbody th a >> nth=0")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect(await isMarked(page)).toBe(false)
    expect(problems).toEqual([])
    await close()
  })

  it("is searched while its reader types, and loses no letter", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/?limit=25&offset=25")
    await mark(page)
    // The answer to the first letters comes while the reader types on.
    let answer = () => {}
    const typed = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/[?&]q=/, async (route) => {
      await typed
      await route.continue()
    })
    const searched = page.waitForRequest(/[?&]q=site/)
    await page.locator("#quick").pressSequentially("site", { delay: 20 })
    await searched
    await page.locator("#quick").pressSequentially(" 4", { delay: 20 })
    answer()
    await page.locator("#quick").pressSequentially("2", { delay: 20 })
    await page.waitForURL("**/dcim/sites/?q=site+42&limit=25")
    await page.waitForSelector("#objects tbody tr:only-child")
    expect([await page.inputValue("#quick"), await focused(page)]).toEqual(["site 42", "quick"])
    expect(await isMarked(page)).toBe(true)
    expect(problems).toEqual([])
    await close()
  })

  it("leads to the login where the session has ended", async () => {
    const { page, close } = await loggedInAs("admin")
    await page.goto("/dcim/sites/")
    await page.context().clearCookies()
    await page.click("#objects thead a:has-text('Name')")
    await page.waitForURL(/\/login\/\?next=%2Fdcim%2Fsites%2F%3Fordering%3D-name/)
    expect(await page.locator(".side").count()).toBe(0)
    expect(await page.textContent("h1")).toBe("Log in")
    await close()
  })
})

describe.skipIf(!hasBrowser)("a form", () => {
  it("comes back in place with its errors, and leads on to the object", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/")
    await page.goto("/dcim/sites/add/")
    await mark(page)
    await page.fill("#f-name", "Narvik")
    await page.fill("#f-slug", "not a slug")
    await page.click(".form-end button:has-text('Add')")
    await page.waitForSelector(".field-error:has-text('slug')")
    expect([await focused(page), await isMarked(page)]).toEqual(["f-slug", true])
    await page.fill("#f-slug", "narvik")
    await page.click(".form-end button:has-text('Preview')")
    await page.waitForSelector(".preview")
    // The pickers of the form that came back are set up.
    await page.fill("#f-region", "no region of this name")
    await page.waitForSelector(".picker-status:has-text('Nothing matches.')")
    await page.fill("#f-region", "")
    await page.click(".form-end button:has-text('Add')")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect([await page.title(), await isMarked(page)]).toEqual(["Narvik · Rackwire", true])
    expect(await page.textContent("main")).toContain("Site added.")
    await close()
  })

  it("adds one object where the button is pressed twice", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Bardufoss")
    await page.fill("#f-slug", "bardufoss")
    let sent = 0
    let answer = () => {}
    const clicked = new Promise<void>((resolve) => (answer = resolve))
    await page.route("**/dcim/sites/add/", async (route) => {
      sent += 1
      await clicked
      await route.continue()
    })
    await page.dblclick(".form-end button:has-text('Add')")
    answer()
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect([sent, (await sitesNamed("Bardufoss")).length]).toEqual([1, 1])
    await close()
  })

  it("keeps what was typed where the service does not answer", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Alta")
    await page.fill("#f-slug", "alta")
    await page.route("**/dcim/sites/add/", (route) => route.abort())
    await page.click(".form-end button:has-text('Add')")
    await page.waitForSelector("[role=alert]:has-text('The service did not answer.')")
    expect(await page.inputValue("#f-name")).toBe("Alta")
    await page.unroute("**/dcim/sites/add/")
    await page.click(".form-end button:has-text('Add')")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    expect(await sitesNamed("Alta")).toHaveLength(1)
    // The browser and htmx tell of the request that failed.
    expect(problems.splice(0).every((each) => /ERR_FAILED|Failed to fetch/.test(each))).toBe(true)
    await close()
  })

  it("is not left with what was typed and never saved, unless its reader says so", async () => {
    const { page, problems, close } = await loggedIn()
    const asked = () => problems.filter((each) => each.includes("a dialog")).length
    await page.goto("/dcim/sites/add/")
    await page.click(".form-end a:has-text('Cancel')")
    await page.waitForURL(at("/dcim/sites/"))
    expect(asked()).toBe(0)
    await page.goto("/dcim/sites/add/")
    await page.fill("#f-name", "Vadsø")
    await page.click(".form-end a:has-text('Cancel')")
    await expect.poll(asked).toBe(1)
    expect(await page.inputValue("#f-name")).toBe("Vadsø")
    await page.fill("#f-slug", "not a slug")
    await page.click(".form-end button:has-text('Add')")
    await page.waitForSelector(".field-error:has-text('slug')")
    await page.click(".form-end a:has-text('Cancel')")
    await expect.poll(asked).toBe(2)
    await page.fill("#f-slug", "vadso")
    await page.click(".form-end button:has-text('Add')")
    await page.waitForURL(/\/dcim\/sites\/\d+\/$/)
    await page.click(".crumbs a >> nth=-1")
    await page.waitForURL(at("/dcim/sites/"))
    expect(asked()).toBe(2)
    expect(problems.splice(0)).toHaveLength(2)
    await close()
  })
})
