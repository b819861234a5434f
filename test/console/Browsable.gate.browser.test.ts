/** The API in a real browser: answers as pages, forms for every method, and errors in words. */
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { makeUser, userPassword } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named, password } from "../support/Client.ts"
import { accessibility, faultsOf, hasBrowser, logIn } from "../support/Browser.ts"
import { startConsole } from "./Fixture.ts"
import { thorough } from "../support/Seed.ts"

const sites = "/api/dcim/sites/"
const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`

let api: Api

const { loggedIn, opened, loggedInAs } = startConsole(async (started) => {
  api = started
  await api.call("POST", sites, [named("Bergen"), named("Hamar"), { ...named("Oslo"), description: hostile }])
}, sharedApi)

/** Opens the form of a body as text. */
const openRaw = (page: Page) => page.locator("summary", { hasText: "Raw data" }).click()

const idOf = async (name: string) => (await api.call<List>("GET", `${sites}?name=${name}`)).json.results[0]!.id

describe.skipIf(!hasBrowser)("an address of the API", () => {
  it("shows its answer, and leads on by links, pages and filters", async () => {
    const { page, problems, close } = await loggedIn()
    await page.goto(`${sites}?limit=2`)
    expect(await page.textContent("h1")).toBe("Sites")
    expect(await page.textContent("#answer")).toContain("HTTP 200 OK")
    expect(await page.textContent(".api-line")).toContain(`GET ${sites}?limit=2`)
    expect(await page.textContent("#command + pre, .ch:has(#command) + pre")).toContain(
      `curl '${api.service.url}${sites}?limit=2'`
    )
    await page.getByRole("link", { name: "Next page" }).click()
    expect(new URL(page.url()).search).toBe("?limit=2&offset=2")
    // The text of an object is shown as it is, and runs nowhere.
    expect(JSON.parse((await page.textContent(".api-json"))!)).toMatchObject({ results: [{ description: hostile }] })
    expect(await page.locator(".api-json img, .api-json script").count()).toBe(0)
    await page.locator(".api-json a", { hasText: /sites\/\d+\/$/ }).click()
    expect(await page.textContent("h1")).toBe("Oslo")
    expect(await page.textContent(".api-headers")).toContain("etag:")
    await page.locator(".crumbs a", { hasText: "Sites" }).click()
    await page.click(".filters summary")
    await page.fill(".filters [name=name]", "Hamar")
    await page.click(".filters button")
    expect(new URL(page.url()).search).toBe("?name=Hamar")
    const count = (JSON.parse((await page.textContent(".api-json"))!) as List).count
    expect([count, await page.locator(".chip-f").count()]).toEqual([1, 1])
    await page.getByRole("link", { name: "JSON", exact: true }).click()
    expect(new URL(page.url()).search).toBe("?name=Hamar&format=json")
    expect((JSON.parse((await page.textContent("body"))!) as List).count).toBe(1)
    expect(problems).toEqual([])
    await close()
  })

  thorough("is described by Swagger UI, which keeps to the policy of all pages", async () => {
    const { page, close } = await loggedIn()
    const answer = await page.goto("/api/schema/swagger-ui/")
    expect(answer!.headers()["content-security-policy"]).toContain("script-src 'self'")
    // As OpenAPI 3.1 the description takes Swagger UI twenty seconds.
    expect(await page.textContent(".version-stamp")).toContain("OAS 3.0")
    await page.click("#operations-tag-tenancy")
    await page.locator("#operations-tag-tenancy + * .opblock-summary-control").first().click()
    await page.locator(".opblock-body").first().waitFor()
    await close()
  })

  thorough("is accessible, and no wider than a small screen", async () => {
    const { page, problems, close } = await loggedIn()
    const found: Array<string> = []
    for (const path of ["/api/", sites, `${sites}${await idOf("Oslo")}/`, `${sites}99999/`]) {
      await page.goto(path)
      found.push(...(await faultsOf(page)))
    }
    expect([...found, ...problems]).toEqual([])
    await close()
  })

  thorough("takes raw data without scripts: POST, PATCH, PUT, OPTIONS and DELETE", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    const press = (method: string) => page.locator(`button[value=${method}]:visible`).click()
    const status = () => page.textContent("#answer")
    await page.goto(sites)
    await openRaw(page)
    const example = JSON.parse(await page.inputValue("#content")) as Json
    expect(example).toMatchObject({ slug: "example", status: "active" })
    await page.fill("#content", `{"name": "Alta", "slug": "not a slug"}`)
    await press("POST")
    expect(await status()).toContain("HTTP 400 Bad Request")
    expect(await page.inputValue("#content")).toBe(`{"name": "Alta", "slug": "not a slug"}`)
    // The form that was sent is open again.
    await page.fill("#content", JSON.stringify({ ...example, name: "Alta", slug: "alta" }))
    await press("POST")
    expect(await status()).toContain("HTTP 201 Created")
    await page.locator(".api-headers", { hasText: "location:" }).waitFor()
    await page.goto(`${sites}${await idOf("Alta")}/`)
    await openRaw(page)
    await page.fill("#content", `{"facility": "F1"}`)
    await press("PATCH")
    expect(await status()).toContain("HTTP 200 OK")
    const whole = JSON.parse(await page.inputValue("#content")) as Json
    expect(whole).toMatchObject({ name: "Alta", facility: "F1", region: null })
    await openRaw(page)
    await page.fill("#content", JSON.stringify({ ...whole, status: "planned" }))
    await press("PUT")
    expect(await page.textContent(".api-json")).toContain('"value": "planned"')
    await press("OPTIONS")
    expect(await page.textContent(".api-line")).toContain("OPTIONS /api/dcim/sites/")
    expect(await page.textContent(".api-json")).toContain('"actions"')
    await page.click(".api-delete summary")
    await press("DELETE")
    expect(await status()).toContain("HTTP 204 No Content")
    expect((await api.call<List>("GET", `${sites}?name=Alta`)).json.count).toBe(0)
    await close()
  })

  it("takes the fields of an object in a form, and tells what is wrong beside each", async () => {
    const region = await api.call<{ readonly id: number }>("POST", "/api/dcim/regions/", named("Nordic"))
    const { page, close } = await loggedIn()
    await page.goto(sites)
    await page.fill("#f-name", "Voss")
    await page.fill("#f-slug", "not a slug")
    await page.fill("#f-region", "nordic")
    await page.click("button[value=POST]:visible")
    expect(await page.textContent("#answer")).toContain("HTTP 400 Bad Request")
    expect(await page.evaluate<string>("document.activeElement.id")).toBe("f-slug")
    expect(await page.textContent("#e-slug")).toContain("Enter a valid")
    expect(await page.inputValue("#f-region")).toBe("nordic")
    await page.fill("#f-slug", "voss")
    await page.click("button[value=POST]:visible")
    expect(await page.textContent("#answer")).toContain("HTTP 201 Created")
    await page.goto(`${sites}${await idOf("Voss")}/`)
    expect(await page.inputValue("#f-region")).toBe(`${region.json.id}`)
    await page.fill("#f-region", "")
    await page.selectOption("#f-status", "planned")
    await page.click("button[value=PUT]:visible")
    expect(await page.textContent("#answer")).toContain("HTTP 200 OK")
    const changed = await api.call<Json>("GET", `${sites}${await idOf("Voss")}/`)
    expect(changed.json).toMatchObject({ name: "Voss", slug: "voss", region: null, status: { value: "planned" } })
    await close()
  })

  thorough("overwrites nothing that somebody else has changed since, unless it is asked twice", async () => {
    const { page, close } = await loggedIn()
    const path = `${sites}${await idOf("Hamar")}/`
    await page.goto(path)
    await openRaw(page)
    await page.fill("#content", `{"facility": "mine"}`)
    await api.call("PATCH", path, { facility: "theirs" })
    await page.click("button[value=PATCH]")
    expect(await page.getByRole("alert").textContent()).toContain("Somebody else has changed the object")
    expect((await api.call("GET", path)).json["facility"]).toBe("theirs")
    await page.click("button[value=PATCH]")
    expect((await api.call("GET", path)).json["facility"]).toBe("mine")
    await close()
  })

  it("tells who you are and which permission is missing, and offers no more than you may do", async () => {
    await makeUser(api, "viewer", { types: ["dcim.site"], actions: ["view"] })
    const { page, problems, close } = await opened()
    await page.goto(sites)
    expect(page.url()).toContain(`/login/?next=${encodeURIComponent(sites)}`)
    await page.fill("[name=username]", "viewer")
    await page.fill("[name=password]", userPassword)
    await page.click("form button")
    expect(new URL(page.url()).pathname).toBe(sites)
    expect(await page.locator("#content, button[value=POST], button[value=DELETE]").count()).toBe(0)
    const refused = await page.goto("/api/dcim/devices/")
    expect(refused?.status()).toBe(403)
    const told = (await page.getByRole("alert").textContent())!.replaceAll(/\s+/g, " ")
    expect(told).toContain("You are logged in as viewer. You need the permission to view Devices (dcim.device).")
    expect(await accessibility(page)).toEqual([])
    expect((await page.goto("/api/nothing/"))?.status()).toBe(404)
    expect(await page.textContent("h1")).toBe("Not found")
    expect(problems).toEqual([])
    await close()
  })

  thorough("loses nothing that was typed when the session has ended", async () => {
    const { page, close } = await loggedInAs("admin")
    await page.goto(sites)
    await page.fill("#f-name", "Late")
    await page.fill("#f-slug", "late")
    await page.context().clearCookies()
    await page.click("button[value=POST]:visible")
    expect(await page.getByRole("alert").textContent()).toContain("You are not logged in")
    const other = await page.context().newPage()
    await logIn(other, "admin", password)
    await page.click("button[value=POST]:visible")
    expect(await page.getByRole("alert").textContent()).toContain("The form is older than your session")
    await page.click("button[value=POST]:visible")
    expect(await page.textContent("#answer")).toContain("HTTP 201 Created")
    await close()
  })
})
