/**
 * Anonymous requests for the description of the API, each under another name of the service, which runs as a process,
 * because its memory and the waits of others are measured.
 */
import { request } from "undici"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

let api: Api<ServiceProcess>
let bystander: Bystander

beforeAll(async () => {
  api = await startApiProcess()
  bystander = await Bystander.arrive(api)
})

afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

describe("the description of the API", () => {
  it("delays nobody, however many host names it is requested under", async () => {
    const observed = await bystander.during(() =>
      Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const { statusCode, body } = await request(`${api.service.url}/api/schema/`, {
            headers: { host: `host${n}.example.com`, accept: n % 2 === 0 ? "application/yaml" : "application/json" }
          })
          await body.dump()
          expect(statusCode).toBe(200)
        })
      )
    )
    expectCalm(observed)
  })
})
