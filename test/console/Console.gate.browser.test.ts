/** The console in a real browser: the login, hostile texts, themes, and no scripts. EveryPage.long.browser.test.ts shows every page. */
import { describe, expect, it } from "vitest"
import type { Api } from "../support/Api.ts"
import { named, password } from "../support/Client.ts"
import { hasBrowser } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"

const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script><hx-partial hx-target="body">x</hx-partial>`

let api: Api
let hostileSite: number

const { loggedIn, opened } = startConsole(async (started) => {
  api = started
  const site = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", {
    ...{ ...named("hostile"), name: hostile, description: hostile, comments: hostile, facility: hostile.slice(0, 50) }
  })
  hostileSite = site.json.id
})

describe.skipIf(!hasBrowser)("the console", () => {
  it("asks for a login, and goes on to the page that was asked for", async () => {
    const { page, problems, close } = await opened()
    await page.goto("/dcim/sites/?status=active")
    expect(page.url()).toContain("/login/?next=%2Fdcim%2Fsites%2F%3Fstatus%3Dactive")
    await page.fill("[name=username]", "admin")
    await page.fill("[name=password]", "wrong")
    await page.click("form button")
    expect(await page.getByRole("alert").textContent()).toContain("correct username and password")
    await page.fill("[name=username]", "admin")
    await page.fill("[name=password]", password)
    await page.click("form button")
    expect(page.url()).toBe(`${api.service.url}/dcim/sites/?status=active`)
    expect(problems).toEqual([])
    await close()
  })

  it("runs nothing of what stands in an object", async () => {
    const { page, problems, close } = await loggedIn()
    for (const path of [
      "/dcim/sites/",
      `/dcim/sites/${hostileSite}/`,
      "/search/?q=onerror",
      `/dcim/sites/?q=${encodeURIComponent(hostile)}`
    ]) {
      // A search of all types ends after a while: on a slow machine the first one may find nothing.
      const shown = async () => {
        await page.goto(path)
        return page.textContent("main")
      }
      await expect.poll(shown).toContain("<img src=x onerror=alert(1)>")
      expect(await page.locator("main img, main script, hx-partial").count()).toBe(0)
    }
    expect(problems).toEqual([])
    await close()
  })

  it("works without scripts: search, sorting, filters and their chips", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/dcim/sites/")
    await page.fill("#quick", "onerror")
    await page.press("#quick", "Enter")
    await page.waitForURL("**/dcim/sites/?q=onerror")
    expect(await page.locator("#objects tbody tr").count()).toBe(1)
    await page.click(".chip-f")
    await page.waitForURL("**/dcim/sites/?")
    await page.click("#objects thead a")
    await page.waitForURL("**/dcim/sites/?ordering=-name")
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending")
    await page.click(".filters summary")
    await page.selectOption("[name=status]", "active")
    await page.click(".filters button")
    await page.waitForURL(({ searchParams }) => searchParams.get("status") === "active")
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending")
    await close()
  })

  it("tells a filter that cannot be understood, and shows no object", async () => {
    const { page, close } = await loggedIn()
    const response = await page.goto("/dcim/sites/?status=nowhere")
    expect(response?.status()).toBe(400)
    expect(await page.getByRole("alert").textContent()).toContain("Status (status): ")
    expect(await page.locator("#objects").count()).toBe(0)
    await close()
  })

  it("switches between light and dark, and stays so without a flash", async () => {
    const { page, close } = await loggedIn({ colorScheme: "dark" })
    await page.goto("/")
    const theme = () => page.evaluate<string>("document.documentElement.dataset.scheme")
    expect(await theme()).toBe("dark")
    await page.click("[data-theme-toggle]")
    expect(await theme()).toBe("light")
    await page.reload()
    expect(await theme()).toBe("light")
    expect(await page.content()).toContain('data-scheme="light"')
    await close()
  })
})
