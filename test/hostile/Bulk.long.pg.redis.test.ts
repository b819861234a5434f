/** Lists of objects in one request: bounded, and worked on without keeping others waiting. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import type { Json, List } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

const tokens = "/api/users/tokens/"

let api: Api<ServiceProcess>
let bystander: Bystander

beforeAll(async () => {
  api = await startApiProcess({ TOKENS_PER_USER: "1500" })
  bystander = await Bystander.arrive(api)
})
afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

const newUser = async (username: string) =>
  (await api.call<{ readonly id: number }>("POST", "/api/users/users/", { username, password: "Vierzehn Enten 14" }))
    .json.id

const many = (user: number, count: number) => Array.from({ length: count }, () => ({ user }))

const countOf = async (user: number) => (await api.call<List>("GET", `${tokens}?user_id=${user}&limit=1`)).json.count

test("60,001 tokens in one request are refused, with the limit", async () => {
  const user = await newUser("sixty")
  let reply: { readonly status: number; readonly json: Json } | undefined
  const seen = await bystander.during(async () => (reply = await api.call("POST", tokens, many(user, 60_001))))
  expect(reply!.status).toBe(413)
  expect(reply!.json["detail"]).toContain("60001 objects")
  expect(reply!.json["detail"]).toContain("at most 1000")
  expect(await countOf(user)).toBe(0)
  expectCalm(seen)
})

test("the limit holds for every list that is written", async () => {
  const list = Array.from({ length: 1_001 }, (_, n) => ({ id: n + 1, name: `n ${n}`, slug: `n-${n}` }))
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    expect([method, (await api.call(method, "/api/dcim/sites/", list)).status]).toEqual([method, 413])
  }
  const prefix = await api.call<{ readonly id: number }>("POST", "/api/ipam/prefixes/", { prefix: "10.0.0.0/8" })
  const group = await api.call<{ readonly id: number }>("POST", "/api/ipam/vlan-groups/", { name: "g", slug: "g" })
  for (const path of [
    `ipam/prefixes/${prefix.json.id}/available-ips/`,
    `ipam/prefixes/${prefix.json.id}/available-prefixes/`,
    `ipam/vlan-groups/${group.json.id}/available-vlans/`
  ])
    expect([path, (await api.call("POST", `/api/${path}`, list)).status]).toEqual([path, 413])
})

test("lists of 1,000 are created, changed and deleted while others wait at most a second", async () => {
  const user = await newUser("thousand")
  let created: ReadonlyArray<{ readonly id: number }> = []
  const seen = await bystander.during(async () => {
    const reply = await api.call<typeof created>("POST", tokens, many(user, 1_000))
    expect(reply.status).toBe(201)
    created = reply.json
    const ids = created.map(({ id }) => ({ id, description: "x".repeat(200) }))
    expect((await api.call("PATCH", tokens, ids)).status).toBe(200)
    expect((await api.call("DELETE", tokens, ids)).status).toBe(204)
  })
  expect(created).toHaveLength(1_000)
  expectCalm(seen)
})

test("a user has no more tokens than allowed, also when several requests come at once", async () => {
  const user = await newUser("crowd")
  const replies = await Promise.all(Array.from({ length: 6 }, () => api.call("POST", tokens, many(user, 400))))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400])
  expect(await countOf(user)).toBe(1_200)
  const refused = replies.find(({ status }) => status === 400)!
  expect(JSON.stringify(refused.json)).toContain("at most 1500 tokens")
  const other = await newUser("other")
  const own = await api.call<{ readonly id: number }>("POST", tokens, { user: other })
  expect(own.status).toBe(201)
  await api.call("POST", tokens, many(user, 300))
  expect((await api.call("PATCH", `${tokens}${own.json.id}/`, { user })).status).toBe(400)
})
