/** Objects as files: exports of any size, imports that tell all that is wrong, and one read by the other. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"

const sites = "/api/dcim/sites/"

let api: Api
let token: string

beforeAll(async () => {
  api = await sharedApi()
  token = await api.newToken()
  await api.call("POST", "/api/dcim/regions/", [named("emea"), named("apac")])
  await api.call("POST", "/api/extras/tags/", [named("core"), named("edge")])
  await api.call("POST", sites, [
    { ...named("one"), region: { slug: "emea" }, tags: [{ slug: "core" }, { slug: "edge" }], latitude: 1.5 },
    { ...named("two"), description: 'says "hi", twice\nor so', status: "planned" }
  ])
})
afterAll(() => api.stop())

const send = async (path: string, type: string, body: string) => {
  const headers = { authorization: `Token ${token}`, "content-type": type }
  const response = await fetch(api.service.url + path, { method: "POST", headers, body })
  const text = await response.text()
  return { status: response.status, json: JSON.parse(text) as Json }
}

const fetched = async (path: string) => {
  const response = await fetch(api.service.url + path, { headers: { authorization: `Token ${token}` } })
  return { status: response.status, type: response.headers.get("content-type")!, text: await response.text() }
}

const site = async (name: string) =>
  (await api.call<List>("GET", `${sites}?name=${name}`)).json.results[0] as unknown as Json

describe("an export", () => {
  test("can be imported again, and changes nothing but the time", async () => {
    const types = { csv: "text/csv", json: "application/json", yaml: "application/yaml" }
    for (const [format, type] of Object.entries(types)) {
      const before = await site("two")
      const file = await fetched(`${sites}export/?format=${format}&references=id`)
      expect([file.status, file.type]).toEqual([200, type])
      const imported = await send(`${sites}import/`, type, file.text)
      expect(imported).toEqual({
        status: 200,
        json: { dry_run: false, format, rows: 2, created: 0, updated: 2, errors: [] }
      })
      expect({ ...(await site("two")), last_updated: 0 }).toEqual({ ...before, last_updated: 0 })
    }
  })

  test("holds all objects that match the query, however many", async () => {
    await api.database.sql.query(
      "insert into extras_tag (name, slug, description) select 'many ' || n, 'many-' || n, 'many' from generate_series(1, 1234) n"
    )
    const file = await fetched("/api/extras/tags/export/?format=csv&description=many")
    const lines = file.text.trimEnd().split("\r\n")
    expect(lines[0]).toBe("name,slug,color,description")
    expect(new Set(lines).size).toBe(1235)
    const json = await fetched("/api/extras/tags/export/?format=json&description=many")
    expect(JSON.parse(json.text)).toHaveLength(1234)
    const none = await fetched("/api/extras/tags/export/?format=json&description=nothing")
    expect(JSON.parse(none.text)).toEqual([])
  })

  test("to CSV has no cell that a spreadsheet would run, and imports as it was", async () => {
    const descriptions = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "''-1", "'tis", "plain"]
    const made = await api.call<ReadonlyArray<{ readonly id: number }>>(
      "POST",
      sites,
      descriptions.map((description, n) => ({ ...named(`formula ${n}`), description, latitude: -1.5 }))
    )
    expect(made.status).toBe(201)
    const stored = async () =>
      (await api.call<List>("GET", `${sites}?slug__isw=formula-`)).json.results.map(
        (each) => (each as unknown as Json)["description"]
      )
    const before = await stored()
    for (const escaped of [true, false]) {
      const query = escaped ? "" : "&escape_formulas=false"
      const { text } = await fetched(`${sites}export/?format=csv&references=id&slug__isw=formula-${query}`)
      expect(/(^|,)"?[=+@\t]|(^|,)"?-(?!1\.5)/m.test(text)).toBe(!escaped)
      expect(text.split(",-1.5,")).toHaveLength(descriptions.length + 1)
      const imported = await send(`${sites}import/?${query}`, "text/csv", text)
      expect(imported).toMatchObject({ status: 200, json: { updated: descriptions.length } })
      expect(await stored()).toEqual(before)
    }
  })

  test("names objects, with what they belong to where that is needed, or has their ids", async () => {
    await api.call("POST", "/api/dcim/locations/", { ...named("Hall"), site: (await site("one"))["id"] })
    const [hall] = (await api.call<List>("GET", "/api/dcim/locations/")).json.results
    await api.call("POST", "/api/dcim/locations/", {
      ...named("Row"),
      site: (await site("one"))["id"],
      parent: hall!.id
    })
    const lines = async (query: string) =>
      (await fetched(`/api/dcim/locations/export/?format=csv${query}`)).text.split("\r\n")
    expect((await lines(""))[2]).toBe('Row,row,one,"{""site"":""one"",""parent"":null,""name"":""Hall""}",active,,,,{}')
    expect((await lines("&references=id"))[0]).toBe(
      "id,name,slug,site.id,parent.id,status,tenant.id,description,tags.id,custom_fields"
    )
    const sitesAs = async (format: string) => (await fetched(`${sites}export/?format=${format}&slug=one`)).text
    expect(JSON.parse(await sitesAs("json"))).toMatchObject([{ region: "emea", tags: ["core", "edge"] }])
    const other = { ...named("emea"), parent: { slug: "apac" } }
    expect((await api.call("POST", "/api/dcim/regions/", other)).status).toBe(201)
    expect(JSON.parse(await sitesAs("json"))).toMatchObject([{ region: { parent: null, name: "emea" } }])
    expect((await fetched(`${sites}export/?references=names`)).status).toBe(400)
    await api.call(
      "DELETE",
      "/api/dcim/regions/",
      (await api.call<List>("GET", "/api/dcim/regions/?parent=apac")).json.results
    )
  })

  test("is available in every format", async () => {
    expect((await fetched(`${sites}export/?format=xml`)).status).toBe(400)
    expect((await fetched(`${sites}export/`)).type).toBe("text/csv")
    expect((await fetched("/api/users/tokens/export/?format=csv")).text).not.toContain(token.slice(0, 20))
  })
})

describe("an import", () => {
  const csv = (...lines: ReadonlyArray<string>) => send(`${sites}import/`, "text/csv", lines.join("\n"))

  test("creates and updates, with references by name", async () => {
    const { id } = await site("one")
    const reply = await csv("id,name,slug,region,tags", `${String(id)},,,apac,`, ",three,three,emea,core")
    expect(reply).toMatchObject({ status: 200, json: { rows: 2, created: 1, updated: 1, errors: [] } })
    expect(await site("one")).toMatchObject({
      region: { slug: "apac" },
      tags: [{ slug: "core" }, { slug: "edge" }],
      latitude: 1.5
    })
    expect(await site("three")).toMatchObject({
      region: { slug: "emea" },
      tags: [{ slug: "core" }],
      status: { value: "active" }
    })
  })

  test("reports the errors of every row and then writes none", async () => {
    const reply = await csv(
      "id,name,slug,status,region",
      ",four,four,active,",
      ",five,not a slug,nope,",
      ",six,six,active,nowhere",
      "999999,x,x,active,"
    )
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ created: 0, updated: 0 })
    expect(reply.json["errors"]).toMatchObject([
      { row: 2, errors: { slug: [expect.any(String)], status: ["nope is not a valid choice."] } },
      {
        row: 3,
        errors: {
          region: [expect.stringContaining("Related object not found"), expect.stringContaining("import regions first")]
        }
      },
      { row: 4, errors: { id: ["There is no such object."] } }
    ])
    expect(await site("four")).toBeUndefined()
  })

  test("of YAML keeps texts as they are written, in custom fields too", async () => {
    await api.call("POST", "/api/extras/custom-fields/", [
      { name: "asset", type: "text", content_types: ["dcim.site"] },
      { name: "floors", type: "integer", content_types: ["dcim.site"] }
    ])
    const yaml =
      "- name: 0123\n  slug: 007\n  facility: 1.10\n  latitude: 1e1\n  custom_fields: {asset: 0x1F, floors: 0x1F}\n"
    expect(await send(`${sites}import/`, "application/yaml", yaml)).toMatchObject({ status: 200, json: { created: 1 } })
    expect(await site("0123")).toMatchObject({
      ...{ slug: "007", facility: "1.10", latitude: 10 },
      custom_fields: { asset: "0x1F", floors: 31 }
    })
  })

  test("reads the files of the device type library, and names what is not written", async () => {
    await api.call("POST", "/api/dcim/manufacturers/", named("Cisco"))
    const file = (model: string) => `---
manufacturer: Cisco
model: ${model}
slug: cisco-${model}
part_number: 0123
u_height: 1.0
is_full_depth: false
weight: 1.10
weight_unit: kg
interfaces:
  - name: eth0
    type: 1000base-t
`
    const types = "/api/dcim/device-types/"
    const reply = await send(`${types}import/`, "application/yaml", file("1e3") + file("007"))
    expect(reply).toMatchObject({ status: 200, json: { rows: 2, created: 2, templates: 2, errors: [] } })
    expect(reply.json).not.toHaveProperty("ignored")
    const { results } = (await api.call<List>("GET", `${types}?model=007`)).json
    expect(results).toMatchObject([{ model: "007", part_number: "0123", weight: 1.1, manufacturer: { slug: "cisco" } }])
    const wrong = await send(`${types}import/`, "application/yaml", file("x").replace("u_height", "height"))
    expect(wrong).toMatchObject({
      status: 400,
      json: { created: 0, errors: [{ errors: { height: ["Unknown field."] } }] }
    })
    const one = await send(`${sites}import/`, "application/json", JSON.stringify({ ...named("single"), display: "x" }))
    expect(one).toMatchObject({ status: 200, json: { created: 1, ignored: ["display"] } })
  })

  test("has a column for each custom field", async () => {
    const content_types = ["dcim.site"]
    await api.call("POST", "/api/extras/custom-fields/", [
      { name: "badge", type: "text", content_types },
      { name: "count", type: "integer", content_types },
      { name: "open", type: "boolean", content_types },
      { name: "uses", type: "multiselect", choices: ["a", "b"], content_types },
      { name: "within", type: "object", object_type: "dcim.region", content_types }
    ])
    const columns = "name,slug,cf_badge,CF_Count,cf_open,cf_uses,cf_within"
    const csv = `${columns}\ncustom,custom,007,7,TRUE,"a,b",apac\n`
    expect(await send(`${sites}import/`, "text/csv", csv)).toMatchObject({ status: 200, json: { created: 1 } })
    const values = { badge: "007", count: 7, open: true, uses: ["a", "b"], within: { slug: "apac" } }
    expect(await site("custom")).toMatchObject({ custom_fields: values })
    const yaml = `- id: ${(await site("custom"))["id"]}\n  cf_badge: 1.10\n  cf_count: null\n`
    expect(await send(`${sites}import/`, "application/yaml", yaml)).toMatchObject({ status: 200, json: { updated: 1 } })
    expect(await site("custom")).toMatchObject({ custom_fields: { ...values, badge: "1.10", count: null } })
  })

  test("creates trees in whatever order their objects are", async () => {
    const chain = Array.from({ length: 5 }, (_, n) => ({
      ...named(`level ${n}`),
      ...(n > 0 && { parent: `level-${n - 1}` })
    }))
    const reply = await send("/api/dcim/regions/import/", "application/json", JSON.stringify(chain.toReversed()))
    expect(reply).toMatchObject({ status: 200, json: { created: 5, errors: [] } })
    const circle = [{ ...named("a"), parent: "b" }, { ...named("b"), parent: "a" }, named("c")]
    const refused = await send("/api/dcim/regions/import/", "application/json", JSON.stringify(circle))
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ row: 1 }, { row: 2 }] } })
  })

  test("changes objects by their names, if asked", async () => {
    const rows = "name,slug,status\none,one,planned\nnew one,new-one,active\n"
    expect((await send(`${sites}import/`, "text/csv", rows)).status).toBe(400)
    const reply = await send(`${sites}import/?update_existing=true`, "text/csv", rows)
    expect(reply).toMatchObject({ status: 200, json: { created: 1, updated: 1, errors: [] } })
    expect(await site("one")).toMatchObject({ status: { value: "planned" }, latitude: 1.5 })
  })

  test("writes nothing in a dry run", async () => {
    const reply = await send(
      `${sites}import/?dry_run=true`,
      "application/yaml",
      "- name: seven\n  slug: seven\n  region: emea\n"
    )
    expect(reply).toEqual({
      status: 200,
      json: { dry_run: true, format: "yaml", rows: 1, created: 1, updated: 0, errors: [] }
    })
    expect(await site("seven")).toBeUndefined()
  })

  test.each([
    ["text/csv", "name,nope\na,b", "Unknown columns: nope."],
    ["text/csv", 'name,slug\na"b,c', "Line 2: a quote is in the wrong place."],
    ["text/csv", "name,slug\na", "Row 1 has 1 cells, and the header 2."],
    ["application/json", "1", "Expected a list of objects, or an object."],
    ["application/json", "[", expect.stringContaining("The file cannot be read")],
    ["application/yaml", "a: [", expect.stringContaining("The file cannot be read")],
    ["application/yaml", "- &a [1]\n- *a", expect.stringContaining("The file cannot be read")]
  ])("of %s that is none says so: %j", async (type, body, detail) => {
    const format = type.split("/")[1]
    expect(await send(`${sites}import/`, type, body)).toEqual({ status: 400, json: { detail, format } })
  })

  test("takes a table as curl sends it, as the body or in a form", async () => {
    const path = `${sites}import/?dry_run=true`
    const table = "name,slug\neight,eight\n"
    const expected = {
      status: 200,
      json: { dry_run: true, format: "csv", rows: 1, created: 1, updated: 0, errors: [] }
    }
    expect(await send(path, "application/x-www-form-urlencoded", table)).toEqual(expected)
    const form = new FormData()
    form.set("file", new File([table], "sites.csv"))
    const headers = { authorization: `Token ${token}` }
    const response = await fetch(api.service.url + path, { method: "POST", headers, body: form })
    expect({ status: response.status, json: await response.json() }).toEqual(expected)
  })

  test("needs the permission to write", async () => {
    const reading = await api.newToken({ write_enabled: false })
    expect((await api.raw("POST", `${sites}import/`, [], reading)).status).toBe(403)
  })
})
