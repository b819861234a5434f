/** The options that make every request strict: one for the filters of lists, one for the fields of bodies. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"

const addresses = "/api/ipam/ip-addresses/"

let queries: Api
let bodies: Api

beforeAll(async () => {
  queries = await startApiAlone({ STRICT_QUERY: "true" })
  bodies = await startApiAlone({ STRICT_BODY: "true" })
})
afterAll(() => Promise.all([queries.stop(), bodies.stop()]))

test("STRICT_QUERY refuses unknown filters and ignores unknown fields", async () => {
  const refused = await queries.call("GET", `${addresses}?nope=1`)
  expect([refused.status, refused.json]).toEqual([400, { nope: ["Unknown filter."] }])
  expect((await queries.call("GET", `${addresses}?nope=1&strict=false`)).status).toBe(200)
  const made = await queries.call("POST", addresses, { address: "10.0.0.1/24", nope: 1 })
  expect([made.status, made.text]).toEqual([201, expect.stringContaining("10.0.0.1")])
})

test("STRICT_BODY refuses unknown fields and ignores unknown filters", async () => {
  const refused = await bodies.call("POST", addresses, { address: "10.0.0.2/24", nope: 1 })
  expect([refused.status, refused.json]).toEqual([400, { nope: ["Unknown field."] }])
  expect((await bodies.call("POST", `${addresses}?strict=false`, { address: "10.0.0.2/24", nope: 1 })).status).toBe(201)
  expect((await bodies.call("GET", `${addresses}?nope=1`)).status).toBe(200)
})

test("STRICT_BODY accepts everything that an answer shows, such as the family of an address", async () => {
  const made = await bodies.call("POST", addresses, { address: "10.0.0.3/24", family: 4 })
  expect([made.status, made.text]).toEqual([201, expect.stringContaining("10.0.0.3")])
  const { status: _, ...read } = made.json
  const again = await bodies.call("PUT", `${addresses}${String(made.json["id"])}/`, read)
  expect([again.status, again.text]).toEqual([200, expect.stringContaining("10.0.0.3")])
})
