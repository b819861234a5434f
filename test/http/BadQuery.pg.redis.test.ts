/** Queries and numbers that somebody sends to see the service fail: refused by name, and at once. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../src/inventory/Registry.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"
import { sampleOf, thorough } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

let saved = 0

const times = (count: number, parameter: (n: number) => string) => Array.from({ length: count }, (_, n) => parameter(n))

describe("a query", () => {
  thorough("with a null character is refused on every list and export, under the parameter's name", async () => {
    for (const { path } of registry.values()) {
      for (const name of ["filter", "filter_id", "ordering", "fields", "q", "unknown"]) {
        const { status, json } = await api.call("GET", `${path}?${name}=a%00b&limit=1`)
        expect([path, name, status, json]).toEqual([path, name, 400, { [name]: ["Null characters are not allowed."] }])
      }
    }
    expect((await api.raw("GET", "/?a=%00")).status).toBe(400)
  })

  thorough("orders by fields that have an order, however often a field is named", async () => {
    for (const { path, columns } of sampleOf([...registry.values()], 15, "ordered types")) {
      const names = ["id", ...Object.keys(columns)]
      const every = await api.call("GET", `${path}?limit=1&ordering=${names.join(",")}`)
      expect([path, every.status]).toEqual([path, 200])
      for (const name of names) {
        const { status, text } = await api.call("GET", `${path}?limit=1&ordering=-${name}`)
        expect([path, name, status, status === 200 ? "" : text]).toEqual([path, name, 200, ""])
      }
    }
    expect((await api.call("GET", `/api/dcim/sites/?ordering=${times(2000, () => "name").join(",")}`)).status).toBe(200)
  })

  it("has a limit on its values, which also applies to saved filters", async () => {
    const ask = async (parameters: Json) => {
      const slug = `saved-${(saved += 1)}`
      const made = await api.call("POST", "/api/extras/saved-filters/", {
        name: slug,
        slug,
        content_types: ["dcim.site"],
        parameters
      })
      expect(made.status).toBe(201)
      const { status, json } = await api.call("GET", `/api/dcim/sites/?filter=${slug}`)
      return [status, json["count"] ?? json]
    }
    const names = (count: number) => times(count, (n) => `n${n}`)
    expect(await ask({ name: names(4000) })).toEqual([200, 0])
    expect(await ask({ name: names(40_000) })).toEqual([
      400,
      { name: ["Ensure that there are no more than 4000 values; there are 40000."] }
    ])
    expect(await ask({ name__ic: names(250) })).toEqual([200, 0])
    for (const suffix of ["ic", "nic", "isw", "iew", "ie", "nie", "regex", "iregex"])
      expect([suffix, (await ask({ [`name__${suffix}`]: names(251) }))[0]]).toEqual([suffix, 400])
    expect((await ask({ latitude: `1.${"0".repeat(20_000)}1` }))[0]).toBe(400)
  })
})

describe("a number", () => {
  it("of too many digits is refused under its name for its length, before it is parsed", async () => {
    const digits = "1".repeat(200_000)
    for (const latitude of [`${digits}x`, `1.${digits}`, `1.${"0".repeat(20_000)}1`]) {
      const { status, json } = await api.call("POST", "/api/dcim/sites/", { ...named("Long"), latitude })
      expect([status, json]).toEqual([400, { latitude: ["String value too large."] }])
    }
  })
})

describe("a reference by a long list", () => {
  it("does not fail", async () => {
    const region = { name__in: times(40_000, (n) => `n${n}`) }
    const { status, json } = await api.call("POST", "/api/dcim/sites/", { ...named("Listed"), region })
    expect([status, Object.keys(json)]).toEqual([400, ["region"]])
  })
})

describe("a custom field for objects that names no type, made by plain SQL", () => {
  it.each([null, "dcim.nothing"])("shows no object for the type %s", async (type) => {
    const name = type === null ? "untyped" : "mistyped"
    const made = await api.call<{ id: number }>("POST", "/api/tenancy/tenants/", named(name))
    await api.database.sql.transaction(
      `insert into extras_customfield (name, type, content_types, object_type)
       values ('${name}', 'object', '{tenancy.tenant}', ${type === null ? "null" : `'${type}'`})`,
      `update tenancy_tenant set custom_fields = '{"${name}": 1}' where id = ${made.json.id}`
    )
    const path = `/api/tenancy/tenants/${made.json.id}/`
    const shown = await api.call<{ custom_fields: Json }>("GET", path)
    expect([shown.status, shown.json.custom_fields?.[name]]).toEqual([200, null])
    expect((await api.call("GET", "/api/tenancy/tenants/")).status).toBe(200)
    expect((await api.call("GET", "/api/tenancy/tenants/export/")).status).toBe(200)
    expect((await api.call("GET", `/api/tenancy/tenants/?cf_${name}=1`)).status).toBe(200)
    expect((await api.call("PATCH", path, { custom_fields: { [name]: 5 } })).status).toBe(400)
    expect((await api.call("PATCH", path, { description: "kept" })).status).toBe(200)
    await api.database.sql.query("delete from extras_customfield where name = $1", [name])
    await expect.poll(async () => (await api.call("GET", "/health/ready")).status).toBe(200)
  })
})

describe("a list of references", () => {
  it("may name a limited number of objects by attributes; repeated ones cost one query", async () => {
    await api.call("POST", "/api/extras/tags/", named("Often"))
    const make = (name: string, tags: ReadonlyArray<unknown>) =>
      api.call("POST", "/api/dcim/sites/", { ...named(name), tags })
    const often = (count: number) => times(count, () => "Often").map((name) => ({ name }))
    expect((await make("Tagged often", often(250))).status).toBe(201)
    const refused = await make("Tagged too often", often(251))
    expect([refused.status, refused.json]).toEqual([
      400,
      { tags: ["Ensure that no more than 250 objects are named by attributes; 251 are."] }
    ])
  })
})
