/** A short run of the fuzz with the seed of the run; Fuzz.long.pg.redis.test.ts also limits the time of an answer. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { runs, seed } from "../support/Seed.ts"
import { fuzz, told } from "./fuzz/Fuzz.ts"

const requests = runs(30)

let api: Api

beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: "Error" })
})
afterAll(() => api.stop())

it(`answers hostile requests without a failure, and works at the end, with seed ${seed}`, async () => {
  const numbers = Array.from({ length: requests }, (_, n) => n)
  const { failures, problems, statuses } = await fuzz(api.service, api.database.sql, {
    ...{ seed, numbers },
    answerMillisMax: Infinity
  })
  expect(failures.map(told)).toEqual([])
  expect(problems).toEqual([])
  // Requests that are all refused before their handler would find nothing.
  for (const status of [200, 400]) expect([status, (statuses.get(status) ?? 0) >= runs(3)]).toEqual([status, true])
})
