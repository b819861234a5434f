/** Anonymous requests for the description of the API, each under another name of the service: one thread for all. */
import { request } from "undici"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { causesOf } from "./Causes.ts"
import { runs } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await startApi({}, { roles: ["api"] })
})
afterAll(() => api.stop())

describe("the description of the API", () => {
  it("is written by one thread for each format, however many host names it is requested under", async () => {
    const { answer, workers, besideThread } = await causesOf(api, () =>
      Promise.all(
        Array.from({ length: runs(4) }, async (_, n) => {
          const { statusCode, body } = await request(`${api.service.url}/api/schema/`, {
            headers: { host: `host${n}.example.com`, accept: n % 2 === 0 ? "application/yaml" : "application/json" }
          })
          return [statusCode, (await body.text()).includes(`host${n}.example.com`)]
        })
      )
    )
    expect(answer).toEqual(answer.map(() => [200, true]))
    expect(workers).toBeLessThanOrEqual(2)
    expect(besideThread).toBeGreaterThan(0)
  })
})
