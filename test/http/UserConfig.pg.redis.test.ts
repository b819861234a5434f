/** The configuration of a user, which programs keep. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { merged } from "../../src/auth/user/UserConfig.ts"
import { makeUser, type User } from "../auth/Users.ts"
import { type Api, sharedApi } from "../support/Api.ts"

const path = "/api/users/config/"

let api: Api
let ann: User

beforeAll(async () => {
  api = await sharedApi()
  ann = await makeUser(api, "ann")
})
afterAll(() => api.stop())

const patch = (body: unknown, user = ann) => user.call("PATCH", path, body)

describe("the configuration of a user", () => {
  it("is empty at first, and merged at every level", async () => {
    expect(await ann.call("GET", path)).toMatchObject({ status: 200, json: {} })
    const first = await patch({ tables: { sites: { columns: ["name"], width: 1 } }, theme: "dark" })
    expect([first.status, first.json]).toEqual([
      200,
      { tables: { sites: { columns: ["name"], width: 1 } }, theme: "dark" }
    ])
    await patch({ tables: { sites: { columns: ["slug"] }, racks: {} }, theme: null })
    const all = { tables: { sites: { columns: ["slug"], width: 1 }, racks: {} }, theme: null }
    expect((await ann.call("GET", path)).json).toEqual(all)
  })

  it("is the user's own, and is deleted with the user", async () => {
    const bob = await makeUser(api, "bob")
    await patch({ mine: true }, bob)
    expect((await ann.call("GET", path)).json).not.toHaveProperty("mine")
    const rows = () => api.database.sql.query(`select from rackwire_user_config where user_id = ${bob.id}`)
    expect(await rows()).toHaveLength(1)
    await api.call("DELETE", `/api/users/users/${bob.id}/`)
    expect(await rows()).toHaveLength(0)
  })

  it("keeps numbers, names of prototypes and concurrent changes", async () => {
    const odd = '{"__proto__": {"polluted": 1}, "constructor": 1, "long": 50755254975729665}'
    const reply = await api.raw("PATCH", path, odd, ann.token)
    expect(reply.text).toContain('"__proto__":{"polluted":1}')
    expect(reply.text).toContain("50755254975729665")
    expect({}).not.toHaveProperty("polluted")
    const names = Array.from({ length: 12 }, (_, at) => `k${at}`)
    await Promise.all(names.map((name) => patch({ concurrent: { [name]: 1 } })))
    const { concurrent } = (await ann.call("GET", path)).json
    expect(Object.keys(concurrent as object).sort()).toEqual(names.sort())
  })

  it("has limits of its depth and size, and takes dictionaries alone", async () => {
    const refusal = async (body: unknown) => {
      const { status, json } = await patch(body)
      return [status, json["non_field_errors"]]
    }
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
    expect(await refusal({ deep: deep(20) })).toEqual([400, ["Value must not be nested more than 16 levels deep."]])
    const large = ["Ensure that the configuration has no more than 65536 characters of JSON."]
    expect(await refusal({ large: "x".repeat(70_000) })).toEqual([400, large])
    expect((await patch({ half: "x".repeat(40_000) })).status).toBe(200)
    expect(await refusal({ other: "x".repeat(40_000) })).toEqual([400, large])
    expect(await refusal({ zero: "a\0b" })).toEqual([400, ["Value must be valid JSON."]])
    expect(await refusal([1])).toEqual([400, ["Invalid data. Expected a dictionary, but got list."]])
    expect((await ann.call("GET", path)).json).not.toHaveProperty("other")
  })

  it("needs a user, and a token that may write for a change", async () => {
    expect((await api.raw("GET", path)).status).toBe(403)
    const reading = await api.newToken({ user: ann.id, write_enabled: false })
    expect((await api.raw("GET", path, undefined, reading)).status).toBe(200)
    expect((await api.raw("PATCH", path, { a: 1 }, reading)).status).toBe(403)
    expect((await api.call("POST", path, {})).status).toBe(405)
  })
})

describe("a merge", () => {
  it("replaces anything but dictionaries", () => {
    const before = { a: { b: 1, c: [1, 2] }, d: 1 }
    expect(merged(before, { a: { c: [3] }, d: { e: 2 } })).toEqual({ a: { b: 1, c: [3] }, d: { e: 2 } })
    expect(merged(before, { a: null })).toEqual({ a: null, d: 1 })
    expect(before).toEqual({ a: { b: 1, c: [1, 2] }, d: 1 })
  })
})
