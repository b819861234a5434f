/**
 * Long lists of objects in one request, to a service as a process, because its memory and the waits of others are
 * measured.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import type { Json } from "../support/Client.ts"
import { countOf, expectLongListsRefused, expectQuotaHolds, many, newUser, tokens } from "./BulkAttacks.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

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

test("60,001 tokens in one request are refused, with the limit", async () => {
  const user = await newUser(api, "sixty")
  let reply: { readonly status: number; readonly json: Json } | undefined
  const seen = await bystander.during(async () => (reply = await api.call("POST", tokens, many(user, 60_001))))
  expect(reply!.status).toBe(413)
  expect(reply!.json["detail"]).toContain("60001 objects")
  expect(reply!.json["detail"]).toContain("at most 1000")
  expect(await countOf(api, user)).toBe(0)
  expectCalm(seen)
})

test("the limit holds for every list that is written", () => expectLongListsRefused(api, 1_000))

test("lists of 1,000 are created, changed and deleted while others wait at most a second", async () => {
  const user = await newUser(api, "thousand")
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

test("a user has no more tokens than allowed, also when several requests come at once", () =>
  expectQuotaHolds(api, 1_500, 400))
