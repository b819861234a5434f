/** Input that JavaScript would turn into a number or a text of its own accord: refused, so that no other object is meant. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, type List, named } from "../support/Client.ts"
import { sampleOf } from "../support/Seed.ts"

const sites = "/api/dcim/sites/"

let api: Api

beforeAll(async () => {
  api = await startApiAlone()
  // The first two objects have the ids 1 and 2.
  await api.call("POST", sites, [named("One"), named("Two")])
})
afterAll(() => api.stop())

const names = async () => (await api.call<List>("GET", sites)).json.results.map(({ name }) => name)

/** Values that `Number` reads as 1 or 0, or that stand beyond what it can tell apart. */
const noIds: ReadonlyArray<unknown> = [
  true,
  false,
  "",
  " ",
  " 1",
  "1.0",
  "1e0",
  "0x1",
  "+1",
  1.5,
  [1],
  { id: 1 },
  9_007_199_254_740_992,
  "9007199254740993"
]

describe("an id that is no integer", () => {
  it.each(["DELETE", "PATCH", "PUT"])("is refused in a bulk %s, and nothing is changed", async (method) => {
    for (const id of noIds) {
      const reply = await api.call(method, sites, [{ ...named("Other"), id }])
      expect([id, reply.status, reply.json]).toEqual([id, 400, [{ id: ["A valid integer is required."] }]])
    }
    const nothing = await api.call(method, sites, [{ ...named("Other"), id: null }])
    expect([nothing.status, nothing.json]).toEqual([400, [{ id: ["This field may not be null."] }]])
    expect(await names()).toEqual(["One", "Two"])
  })

  it("is refused in a reference and in an import", async () => {
    for (const id of sampleOf(noIds, 6, "no ids")) {
      const region = await api.call<Json>("PATCH", `${sites}1/`, { region: { id } })
      expect([id, region.status, Object.keys(region.json)]).toEqual([id, 400, ["region"]])
      if (id === " 1") continue
      const imported = await api.call<{ errors: ReadonlyArray<Json> }>("POST", `${sites}import/?format=json`, [
        { id, name: "Other" }
      ])
      expect([id, imported.status, imported.json.errors]).toEqual([
        id,
        400,
        [{ row: 1, errors: { id: ["A valid integer is required."] } }]
      ])
    }
    expect(await names()).toEqual(["One", "Two"])
  })

  it("may be written in digits", async () => {
    const changed = await api.call<ReadonlyArray<Json>>("PATCH", sites, [{ id: "1", facility: "F" }])
    expect([changed.status, changed.json]).toMatchObject([200, [{ id: 1, facility: "F" }]])
    expect((await api.call("POST", `${sites}import/?format=csv`, "id,facility\n 1 ,G\n")).status).toBe(200)
  })
})

it("a flag of the query that is no boolean is refused, before anything is written", async () => {
  const rows = [{ ...named("Imported") }]
  for (const value of ["", "maybe", "2"]) {
    const reply = await api.call("POST", `${sites}import/?format=json&dry_run=${value}`, rows)
    expect([value, reply.status, reply.json]).toEqual([value, 400, { dry_run: ["Must be a valid boolean."] }])
  }
  for (const query of ["dry_run=yes", "dry_run=on", "dry_run=false&dry_run=True"]) {
    const reply = await api.call("POST", `${sites}import/?format=json&${query}`, rows)
    expect([query, reply.status, reply.json]).toMatchObject([query, 200, { dry_run: true }])
  }
  expect((await api.call("GET", `${sites}?strict=2`)).status).toBe(400)
  expect(await names()).toEqual(["One", "Two"])
})

it("the length of a prefix to allocate is an integer", async () => {
  const { json } = await api.call("POST", "/api/ipam/prefixes/", { prefix: "10.0.0.0/8" })
  const path = `/api/ipam/prefixes/${String(json["id"])}/available-prefixes/`
  for (const length of [true, "", " ", null, "0x10", [16], 16.5]) {
    const reply = await api.call("POST", path, { prefix_length: length })
    expect([length, reply.status, Object.keys((reply.json as unknown as ReadonlyArray<Json>)[0]!)]).toEqual([
      length,
      400,
      ["prefix_length"]
    ])
  }
  expect(await api.call("POST", path, { prefix_length: "16" })).toMatchObject({ json: { prefix: "10.0.0.0/16" } })
})

it("a number whose digits JSON has lost is no text, and names no object", async () => {
  const reply = await api.call("POST", sites, `{"name": "Three", "slug": "three", "facility": 12345678901234567890}`)
  expect([reply.status, reply.json]).toEqual([
    400,
    { facility: ["Not a valid string: write a number of so many digits in quotes."] }
  ])
  await api.call("POST", "/api/dcim/regions/", [named("true"), { name: "12345678901234567000", slug: "many" }])
  for (const region of ['{"name": true}', '{"name": 12345678901234567000}']) {
    const named = await api.call("PATCH", `${sites}1/`, `{"region": ${region}}`)
    expect([region, named.status, Object.keys(named.json)]).toEqual([region, 400, ["region"]])
  }
})
