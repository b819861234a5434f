/** A user has a limited number of webhooks, however they are made: each fires for everything that the user may view. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import type { Json, List } from "../support/Client.ts"
import { makeUser } from "./Users.ts"

const path = "/api/extras/webhooks/"
const max = 3
let api: Api

beforeAll(async () => void (api = await startApiAlone({ WEBHOOKS_PER_USER: `${max}` })))
afterAll(() => api.stop())

let made = 0
const webhook = (scope: number | null, fields: Json = {}): Json => ({
  name: `of ${scope} ${++made}`,
  content_types: ["dcim.site"],
  type_create: true,
  enabled: false,
  payload_url: "http://127.0.0.1:9/",
  scope_user: scope,
  ...fields
})

const countOf = async (): Promise<number> => (await api.call<List>("GET", `${path}?limit=1`)).json.count

const refused = { scope_user: [expect.stringContaining(`At most ${max} webhooks`)] }

it("a user has at most so many webhooks, also when several requests arrive at once", async () => {
  const own = { scope_user: "$user" }
  const keeper = await makeUser(api, "keeper", {
    types: ["extras.webhook"],
    actions: ["view", "add", "change"],
    constraints: own
  })
  const replies = await Promise.all(Array.from({ length: 6 }, () => keeper.call("POST", path, webhook(keeper.id))))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400, 400, 400])
  expect(replies.find(({ status }) => status === 400)!.json).toEqual(refused)
  expect(await countOf()).toBe(max)
  // Webhooks that exist can be changed, and lists are refused as a whole.
  const first = replies.find(({ status }) => status === 201)!.json["id"]
  expect((await keeper.call("PATCH", `${path}${String(first)}/`, { description: "kept" })).status).toBe(200)
  const other = await makeUser(api, "other")
  const four = Array.from({ length: max + 1 }, () => webhook(other.id))
  expect((await api.call("POST", path, four)).status).toBe(400)
  expect((await api.call("POST", path, four.slice(1))).status).toBe(201)
  expect(await countOf()).toBe(2 * max)
  // Webhooks of others, and webhooks without a scope, cannot be given to a user who has enough.
  const free = await api.call<Json>("POST", path, webhook(null))
  expect(free.status).toBe(201)
  const given = await api.call("PATCH", `${path}${String(free.json["id"])}/`, { scope_user: keeper.id })
  expect([given.status, given.json]).toEqual([400, refused])
})

it("those without a scope are not limited: whoever may make them is trusted", async () => {
  const many = Array.from({ length: 2 * max }, () => webhook(null))
  expect((await api.call("POST", path, many)).status).toBe(201)
})
