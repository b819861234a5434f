/**
 * Addresses and headers that templates make too long. The service runs as a process, because its memory and the waits of
 * others are measured.
 */
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import { attack } from "./RenderedParts.ts"

let api: Api<ServiceProcess>
let bystander: Bystander
let receiver: Receiver

beforeAll(async () => {
  api = await startApiProcess()
  receiver = await startReceiver()
  bystander = await Bystander.arrive(api)
})

afterAll(async () => {
  await bystander.leave()
  await api.stop()
  await receiver.close()
})

describe("a rendered address or header", () => {
  it("delays nobody, however long it is", async () => {
    const observed = await bystander.during(() => attack(api, receiver))
    expectCalm(observed)
  })
})
