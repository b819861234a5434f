/** The body of a GET can be sent back by PUT, of objects of every type, and changes nothing. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeWorld, typesInOrder } from "../support/AnyObject.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { sampleOf } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
  await makeWorld(api.call, 2)
  // A cable may be attached to an interface that is marked as connected, which no write accepts.
  await api.database.sql.query("update dcim_interface set mark_connected = false")
})
afterAll(() => api.stop())

/** An object without its time. */
const still = (object: Json): Json => ({ ...object, last_updated: undefined })

it("a GET body can be PUT back unchanged", async () => {
  const replies: Array<unknown> = []
  const expected: Array<unknown> = []
  for (const type of typesInOrder()) {
    const page = await api.call<{ readonly results: ReadonlyArray<Json> }>("GET", `${type.path}?limit=1000`)
    for (const { id } of sampleOf(page.json.results, 6, type.id)) {
      const path = `${type.path}${id}/`
      const before = await api.call("GET", path)
      const put = await api.call("PUT", path, before.json)
      replies.push([path, put.status, still(put.json)])
      const { json } = await api.call("GET", path)
      replies.push(still(json))
      expected.push([path, 200, expect.anything()], still(before.json))
    }
  }
  expect(replies).toEqual(expected)
})
