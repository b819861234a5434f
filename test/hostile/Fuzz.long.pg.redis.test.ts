/**
 * A short run of the fuzz; `npm run fuzz:http` is the long one. Beside hostile receivers the service is a process, because
 * its memory and descriptors are counted.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi, startApiProcess } from "../support/Api.ts"
import { runs, seed } from "../support/Seed.ts"
import { fuzzBeside } from "../http/fuzz/Beside.ts"
import { fuzz, told } from "../http/fuzz/Fuzz.ts"

let api: Api

beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: "Error" })
})
afterAll(() => api.stop())

it("answers hostile requests on every route within five seconds and without a failure", async () => {
  const numbers = Array.from({ length: runs(1500) }, (_, n) => n)
  const { failures, problems, statuses } = await fuzz(api.service, api.database.sql, { seed, numbers })
  expect(failures.map(told)).toEqual([])
  expect(problems).toEqual([])
  // Requests that are all refused at the door would find nothing.
  for (const [status, least] of [
    [200, 200],
    [201, 5],
    [400, 200]
  ] as const)
    expect([status, (statuses.get(status) ?? 0) >= runs(least)]).toEqual([status, true])
})

it("answers users of few rights beside hostile receivers, and a bystander does not wait", async () => {
  const attacked = await startApiProcess({ LOG_LEVEL: "Error" })
  try {
    const numbers = Array.from({ length: runs(1500) }, (_, n) => n)
    const { failures, problems } = await fuzzBeside(attacked.service, attacked.database.sql, { seed, numbers })
    expect(failures.map(told)).toEqual([])
    expect(problems).toEqual([])
  } finally {
    await attacked.stop()
  }
})
