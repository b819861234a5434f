/** Addresses and headers that templates make too long: they fail by their length, before anything else reads them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Api, startApi } from "../support/Api.ts"
import { attack } from "./RenderedParts.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  api = await startApi()
  receiver = await startReceiver()
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

describe("a rendered address or header", () => {
  it("that is too long fails by its length, and is not in the log", async () => {
    const failed = await attack(api, receiver)
    expect(failed.filter(([, isByLength]) => !isByLength)).toEqual([])
    expect(receiver.received).toEqual([])
    const [logged] = await api.database.sql.query<{ readonly longest: number }>(
      "select max(length(row_to_json(a)::text)) as longest from rackwire_attempt a"
    )
    expect(logged!.longest).toBeLessThan(10_000)
  })
})
