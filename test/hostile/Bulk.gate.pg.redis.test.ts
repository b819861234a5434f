/** Lists of objects in one request: bounded, and worked on in slices. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { countOf, expectLongListsRefused, expectQuotaHolds, many, newUser, tokens } from "./BulkAttacks.ts"
import { causesOf, sliceSteps } from "./Causes.ts"

/** Most objects of a list. */
const max = 200

let api: Api

beforeAll(async () => {
  api = await startApiAlone({ MAX_BULK_OBJECTS: `${max}`, TOKENS_PER_USER: `${max + 40}` })
})
afterAll(() => api.stop())

test("a list of the largest size is written, and one with an object more is refused before any slice", async () => {
  const user = await newUser(api, "list")
  const { answer, slices } = await causesOf(api, () => api.call("POST", tokens, many(user, max + 1)))
  expect(answer.status).toBe(413)
  expect(answer.json["detail"]).toContain(`${max + 1} objects`)
  expect(answer.json["detail"]).toContain(`at most ${max}`)
  expect([slices, await countOf(api, user)]).toEqual([0, 0])
})

test("the limit holds for every list that is written", () => expectLongListsRefused(api, max))

test("lists of the largest size are created, changed and deleted in slices", async () => {
  const user = await newUser(api, "largest")
  type Created = ReadonlyArray<{ readonly id: number }>
  const created = await causesOf(api, () => api.call<Created>("POST", tokens, many(user, max)))
  expect([created.answer.status, created.answer.json.length]).toEqual([201, max])
  const changes = created.answer.json.map(({ id }) => ({ id, description: "x".repeat(200) }))
  const changed = await causesOf(api, () => api.call("PATCH", tokens, changes))
  expect(changed.answer.status).toBe(200)
  for (const { slices } of [created, changed]) expect(slices).toBeGreaterThan(max / sliceSteps)
  expect((await api.call("DELETE", tokens, changes)).status).toBe(204)
  expect(await countOf(api, user)).toBe(0)
})

test("a user has no more tokens than allowed, also when several requests come at once", () =>
  expectQuotaHolds(api, max + 40, 65))
