/** Files that export templates make of lists: what they see, who may use them, and their limits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { openBrowser } from "../auth/Browser.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { thorough } from "../support/Seed.ts"

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  await api.make("extras/custom-fields", { name: "code", type: "text", content_types: ["dcim.site"] })
  const region = await api.make("dcim/regions", named("North"))
  await api.makeAll("dcim/sites", [
    { ...named("Bergen"), region, custom_fields: { code: "B" } },
    { ...named("Oslo"), status: "planned", custom_fields: { code: "O" } },
    { ...named("Hamar"), region, custom_fields: { code: "H" } }
  ])
})
afterAll(() => api.stop())

const template = (name: string, template_code: string, fields: Json = {}) =>
  api.make("extras/export-templates", { content_types: ["dcim.site"], name, template_code, ...fields })

const get = async (query: string, key = token) => {
  const response = await fetch(`${api.service.url}/api/dcim/sites/?${query}`, {
    headers: { authorization: `Token ${key}` }
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe("an export template", () => {
  it("makes a file of the objects that the query selects, in their order", async () => {
    const code =
      "{% for site in queryset %}{{ site.name }},{{ site.region.name }},{{ site.status.label }},{{ site.cf.code }}\n{% endfor %}"
    await template("table of sites", code, { mime_type: "text/csv", file_extension: "csv" })
    const all = await get("export=table+of+sites")
    expect([all.status, all.text]).toEqual([200, "Bergen,North,Active,B\nHamar,North,Active,H\nOslo,,Planned,O\n"])
    expect(all.headers.get("content-type")).toBe("text/csv")
    expect(all.headers.get("content-disposition")).toBe('attachment; filename="netbox_sites.csv"')
    expect((await get("export=table+of+sites&region=north&ordering=-name")).text).toBe(
      "Hamar,North,Active,H\nBergen,North,Active,B\n"
    )
    expect((await get("export=table+of+sites&limit=1&offset=1")).text).toBe(all.text)
    expect((await get("export=table+of+sites&status=nope")).status).toBe(400)
  })

  it("is found by its name for its types only", async () => {
    await template("for devices", "x", { content_types: ["dcim.device"] })
    for (const name of ["for+devices", "nope", ""]) {
      const { status, text } = await get(`export=${name}`)
      expect([status, JSON.parse(text)]).toEqual([404, { detail: "Not found." }])
    }
  })

  it("may be shown by a browser, where nothing in it runs", async () => {
    await template("page", "<script>alert(document.domain)</script>", { mime_type: "text/html", as_attachment: false })
    const { headers, text } = await get("export=page")
    expect(text).toContain("<script>")
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none';.*\bsandbox;/)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("content-disposition")).toBe("inline")
    await template("plain", "{{ queryset|length }}")
    expect((await get("export=plain")).headers.get("content-type")).toBe("text/plain; charset=utf-8")
  })

  it("sees what its reader sees, and is hidden from readers who may not view it", async () => {
    const id = await template("names", "{{ queryset|map(attribute='name')|join(' ') }}")
    await template("hidden", "x")
    const reader = await makeUser(
      api,
      "exporter",
      { types: ["dcim.site"], actions: ["view"], constraints: { region__slug: "north" } },
      { types: ["extras.exporttemplate"], actions: ["view"], constraints: { id } }
    )
    expect((await get("export=names", reader.token)).text).toBe("Bergen Hamar")
    expect((await get("export=hidden", reader.token)).status).toBe(404)
    expect((await get("export=names")).text).toBe("Bergen Hamar Oslo")
  })

  it("is refused where it cannot be read, or its name or file is none", async () => {
    const refused = async (fields: Json) => {
      const body = { content_types: ["dcim.site"], name: "n", template_code: "x", ...fields }
      return (await api.call<Json>("POST", "/api/extras/export-templates/", body)).json
    }
    expect(await refused({ template_code: "{% for x in %}" })).toHaveProperty("template_code")
    expect(await refused({ name: "Table" })).toEqual({
      name: ['"Table" is a reserved name. Please choose a different name.']
    })
    expect(await refused({ mime_type: "text/html\r\nX: y" })).toHaveProperty("mime_type")
    expect(await refused({ file_extension: "../x" })).toHaveProperty("file_extension")
    expect(await refused({ content_types: ["dcim.nope"] })).toHaveProperty("content_types")
  })

  it("that fails says why, and that is hostile stays within its budgets", async () => {
    const attacks = {
      broken: "{{ queryset.nope.more }}",
      endless: "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
      memory: "{% set x = namespace(v='x') %}{% for i in range(60) %}{% set x.v = x.v ~ x.v %}{% endfor %}",
      output: "{% for i in range(9999) %}{{ 'x' * 9999 }}{% endfor %}"
    }
    for (const [name, code] of Object.entries(attacks)) {
      await template(name, code)
      const { status, text } = await get(`export=${name}`)
      expect([status, (JSON.parse(text) as Json)["detail"]]).toEqual([
        400,
        expect.stringMatching(
          new RegExp(`^There was an error rendering the selected export template \\(${name}\\): Line 1: .`)
        )
      ])
    }
    // The service continues.
    expect((await get("export=plain")).text).toBe("3")
  })

  thorough("has a limit of objects, and one of their characters", async () => {
    const { superuser } = api.database
    await superuser.query(`insert into dcim_site (name, slug, status, comments)
      select 'many ' || n, 'many-' || n, 'active', '' from generate_series(1, 5000) n`)
    const many = await get("export=plain")
    expect([many.status, many.text]).toEqual([413, expect.stringContaining("at most 5000 objects")])
    expect((await get("export=plain&name__isw=many")).text).toBe("5000")
    await superuser.query("update dcim_site set comments = repeat('x', 100000) where name like 'many 1__'")
    const large = await get("export=plain&name__isw=many")
    expect([large.status, large.text]).toEqual([413, expect.stringContaining("4194304 characters")])
    await superuser.query("delete from dcim_site where name like 'many %'")
  })

  it("is in the menu of the list in the console", async () => {
    const browser = openBrowser(api.service.url)
    await browser.logIn()
    const page = await (await browser.fetch("/dcim/sites/?status=planned", { headers: { accept: "text/html" } })).text()
    expect(page).toContain('<a href="/api/dcim/sites/?export=table+of+sites">table of sites</a>')
    const [, href] = /href="([^"]*export=table\+of\+sites&amp;status=planned)"/.exec(page)!
    const file = await browser.fetch(href!.replaceAll("&amp;", "&"), { headers: { accept: "text/html,*/*;q=0.8" } })
    expect([file.headers.get("content-type"), await file.text()]).toEqual(["text/csv", "Oslo,,Planned,O\n"])
  })
})
