/** Anonymous requests for the description of the API, each under another name of the service: one thread for all. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { schemaRoutes } from "../../src/http/describe/Schema.ts"
import type { Handler, Reply } from "../../src/http/Route.ts"
import type { Request } from "../../src/http/wire/Request.ts"
import { routes } from "../../src/Service.ts"
import { type Api, sharedApi } from "../support/Api.ts"
import { runs } from "../support/Seed.ts"
import { causesOf } from "./Causes.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

describe("the description of the API", () => {
  it("is written by one thread for each format, however many host names it is requested under", async () => {
    // The description of the service may have been written already, for another file of this worker.
    const [route] = schemaRoutes(() => routes.slice(0, 20))
    const described = async (n: number) => {
      const base = `http://host${n}.example.com`
      const accepted = n % 2 === 0 ? "application/yaml" : "application/json"
      const given = { base, accepted, url: new URL("/api/schema/", base) } as Request
      const answering = (route!.methods.GET as Handler)(given) as Effect.Effect<Reply>
      const { status, bytes } = await Effect.runPromise(answering)
      return [status, Buffer.concat(bytes!.content).includes(base)]
    }
    const { answer, workers, besideThread } = await causesOf(api, () =>
      Promise.all(Array.from({ length: runs(4) }, (_, n) => described(n)))
    )
    expect(answer).toEqual(answer.map(() => [200, true]))
    expect(workers).toBe(2)
    expect(besideThread).toBeGreaterThan(0)
  })
})
