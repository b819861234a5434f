/** Importing objects in a real browser: from pasted text and from files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type List, named } from "../support/Client.ts"
import { faultsOf, hasBrowser } from "../support/Browser.ts"
import { isThorough, sampleOf, thorough } from "../support/Seed.ts"
import { startConsole } from "./Fixture.ts"

let api: Api
const folder = mkdtempSync(join(tmpdir(), "rackwire-import-"))

const { loggedIn, loggedInAs } = startConsole(async (started) => {
  api = started
  await api.call("POST", "/api/dcim/regions/", named("North"))
}, sharedApi)

afterAll(() => {
  rmSync(folder, { recursive: true })
})

const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const names = async (query: string) =>
  (await api.call<List>("GET", `/api/dcim/sites/?${query}`)).json.results.map(({ name }) => name)

const press = (page: Page, title: "Check" | "Import") => page.click(`.import-form button:has-text("${title}")`)

describe.skipIf(!hasBrowser)("an import", () => {
  it("checks pasted text, tells errors by row and field, and then writes it, without scripts", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    await page.goto("/dcim/sites/")
    await page.click("main >> text=Import")
    const wrong = "name,slug,status,region\nOslo,oslo,active,north\nBergen,not a slug,gone,south\n"
    await page.fill("#f-data", wrong)
    await press(page, "Check")
    expect(await page.textContent("[role=alert]")).toContain("One row has errors.")
    const rows = (await page.locator(".import-errors tbody tr").allInnerTexts()).map((row) => row.trim())
    expect(rows).toEqual([
      expect.stringMatching(/^2\s+Slug\s+This is not a slug/),
      expect.stringMatching(/^Status\s+"gone" is not one of the choices: Planned/),
      expect.stringMatching(/^Region\s+There is no region with the slug "south"/)
    ])
    expect(await page.inputValue("#f-data")).toBe(wrong)
    await page.fill("#f-data", "name,slug,status,region\nOslo,oslo,active,north\nBergen,bergen,planned,\n")
    await press(page, "Check")
    expect(await page.innerText("[role=status]")).toContain("2 would be added, 0 changed. Nothing is written yet.")
    expect(await names("name=Oslo&name=Bergen")).toEqual([])
    await press(page, "Import")
    await page.waitForURL("**/dcim/sites/import/?created=2&updated=0**")
    expect(await page.innerText("[role=status]")).toContain("2 objects were added, 0 changed.")
    expect(await names("region=north")).toEqual(["Oslo"])
    await page.click("text=Show them")
    expect((await page.locator("main tbody tr").allInnerTexts()).join()).toMatch(/Bergen.*Oslo/s)
    await close()
  })

  it("offers a template with all columns, and tells which webhooks would fire how often", async () => {
    const content_types = ["dcim.site"]
    await api.call("POST", "/api/extras/custom-fields/", { name: "asset", type: "text", content_types })
    const hook = { type_create: true, type_update: true, payload_url: "http://127.0.0.1:1/", paused: true }
    await api.call("POST", "/api/extras/webhooks/", [
      { name: "every site", content_types, ...hook },
      { name: "planned sites", content_types, ...hook, conditions: { attr: "status.value", value: "planned" } },
      { name: "changed sites", content_types, ...hook, type_create: false }
    ])
    const old = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", named("Old"))
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/import/")
    const link = await page.getAttribute("text=Template with all columns", "href")
    const template = await page.request.get(link!)
    expect(await template.text()).toMatch(/^name,slug,status,region,.*,tags,cf_asset\r\n$/)
    await page.fill(
      "#f-data",
      `id,name,slug,status,cf_asset\n,F1,f1,planned,x\n,F2,f2,active,y\n${old.json.id},,,planned,\n`
    )
    await press(page, "Check")
    const fires = (await page.locator(".fires li").allInnerTexts()).map((each) => each.replaceAll(/\s+/g, " "))
    expect(fires.sort()).toEqual(["changed sites 1 time", "every site 3 times", "planned sites 2 times"])
    expect(await names("name=F1")).toEqual([])
    await close()
  })

  thorough("takes files of every format, keeps their text, and changes rows with an id", async () => {
    const { page, problems, close } = await loggedIn()
    const made = await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", named("Changed"))
    const texts = {
      "a.yaml": "- name: From YAML\n  slug: yaml\n  region: north\n",
      "b.json": JSON.stringify([{ name: "From JSON", slug: "json" }]),
      "c.csv": `id,name,slug\n${made.json.id},Changed by CSV,changed\n,From CSV,csv\n`
    }
    for (const [name, text] of Object.entries(texts)) {
      await page.goto("/dcim/sites/import/")
      await page.setInputFiles("#f-file", file(name, text))
      await press(page, "Check")
      expect(await page.inputValue("#f-data")).toBe(text)
      await press(page, "Import")
      await page.waitForURL("**created=1**")
    }
    expect(await names("name__isw=From&ordering=name")).toEqual(["From CSV", "From JSON", "From YAML"])
    expect(await names(`id=${made.json.id}`)).toEqual(["Changed by CSV"])
    expect(problems).toEqual([])
    await close()
  })

  thorough("is accessible in every state, and lists the fields of the type", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/import/")
    const fields = (await page.locator(".fields tbody tr").allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "))
    expect(fields.slice(1, 2)).toEqual(["name Yes Text of at most 100 characters"])
    expect(fields).toContain("region — The id or slug of regions")
    expect(fields).toContain("asns — Ids or asns of ASNs, in CSV with commas between")
    expect(await faultsOf(page)).toEqual([])
    await page.fill("#f-data", "name,slug\nx,not a slug\n")
    await press(page, "Check")
    // A browser moves the focus after the page has loaded.
    await expect.poll(() => page.evaluate<string>("document.activeElement.id")).toBe("f-data")
    expect(await faultsOf(page)).toEqual([])
    await page.fill("#f-data", "name,slug\nx,a-slug\n")
    await press(page, "Check")
    expect(await faultsOf(page)).toEqual([])
    await close()
  })

  thorough("tells in words why a file cannot be read: its size, its encoding, its format", async () => {
    const { page, close } = await loggedIn({ javaScriptEnabled: false })
    const refusal = async (name: string, content: string | Buffer) => {
      await page.goto("/dcim/sites/import/")
      await page.setInputFiles("#f-file", file(name, content))
      await press(page, "Check")
      return page.innerText("[role=alert]")
    }
    expect(await refusal("huge.csv", Buffer.alloc((isThorough ? 100 : 20) << 20, "a,b\n"))).toContain("exceeds 16 MiB")
    expect(await page.title()).toContain("Import sites")
    const unreadable = [
      ["latin.csv", Buffer.from("name,slug\nÅre,are\n", "latin1"), "not UTF-8. Save it"],
      ["wide.csv", Buffer.from("\uFEFFname,slug\nÅre,are\n", "utf16le"), "but UTF-16"],
      ["wrong.json", "[{]", "The file cannot be read"],
      ["other.csv", "name,nothing\na,b\n", "Unknown columns: nothing"]
    ] as const
    for (const [name, content, words] of sampleOf(unreadable, 2, "unreadable files"))
      expect(await refusal(name, content)).toContain(words)
    await page.fill("#f-data", "- name: kept\n slug")
    await page.selectOption("#f-format", "yaml")
    await press(page, "Import")
    expect(await page.textContent("[role=alert]")).toContain("The file cannot be read")
    expect([await page.inputValue("#f-data"), await page.inputValue("#f-format")]).toEqual([
      "- name: kept\n slug",
      "yaml"
    ])
    await close()
  })

  thorough("of a large file asks for the file again", async () => {
    const { page, close } = await loggedIn()
    await page.goto("/dcim/sites/import/")
    const rows = Array.from({ length: 400 }, (_, at) => `Large ${at},large-${at},${"x".repeat(3000)}`)
    const path = file("large.csv", `name,slug,comments\n${rows.join("\n")}\n`)
    await page.setInputFiles("#f-file", path)
    await press(page, "Check")
    expect(await page.innerText("[role=status]")).toContain("choose it again to import it")
    expect(await page.inputValue("#f-data")).toBe("")
    await page.setInputFiles("#f-file", path)
    await press(page, "Import")
    await page.waitForURL("**created=400**")
    await close()
  })

  thorough("writes nothing without the token of the form, nor without the permission, and keeps the text", async () => {
    const user = await makeUser(api, "reader", { types: ["dcim.site"], actions: ["view"] })
    const constraints = { name__startswith: "A" }
    const adder = await makeUser(
      api,
      "adder",
      { types: ["dcim.site"], actions: ["view"] },
      { types: ["dcim.site"], actions: ["add"], constraints }
    )
    const data = "name,slug\nForged,forged\n"
    const { page, close } = await loggedIn()
    for (const token of ["", "x".repeat(64)]) {
      const reply = await page.request.post("/dcim/sites/import/", { multipart: { csrfmiddlewaretoken: token, data } })
      expect([reply.status(), (await reply.text()).includes("Forged,forged")]).toEqual([403, true])
    }
    expect((await page.request.post("/dcim/sites/import/", { multipart: { data } })).status()).toBe(403)
    expect((await page.request.post("/dcim/sites/import/", { form: { data } })).status()).toBe(403)
    await close()
    const reader = await loggedInAs(user.name)
    expect((await reader.page.goto("/dcim/sites/import/"))?.status()).toBe(403)
    await reader.close()
    const other = await loggedInAs(adder.name)
    const site = (await api.call<{ readonly id: number }>("POST", "/api/dcim/sites/", named("Theirs"))).json
    await other.page.goto("/dcim/sites/import/")
    await other.page.fill("#f-data", `id,name\n${site.id},Forged\n`)
    await press(other.page, "Import")
    expect(await other.page.textContent("[role=alert]")).toContain("You do not have permission")
    expect(await other.page.inputValue("#f-data")).toBe(`id,name\n${site.id},Forged\n`)
    await other.page.fill("#f-data", "name,slug\nAllowed,allowed\nForged,forged\n")
    await press(other.page, "Import")
    expect(await other.page.textContent("[role=alert]")).toContain("objects that you may not write")
    expect(await names("name=Forged&name=Allowed")).toEqual([])
    await other.close()
  })
})
