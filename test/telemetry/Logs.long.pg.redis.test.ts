/** LOG_FORMAT, and the ids by which a line is found. A process, because its output is read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

interface Line {
  readonly level: string
  readonly message: string
  readonly annotations: Readonly<Record<string, string>>
}

let receiver: Receiver
let api: Api

beforeAll(async () => {
  receiver = await startReceiver(() => 410)
  api = await startApiProcess({ LOG_FORMAT: "json" })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

/** The line of the log with this text, once it is there. */
const line = (text: string): Promise<Line> =>
  eventually(`a line with ${text}`, () => {
    const found = api.service
      .output()
      .split("\n")
      .find((each) => each.startsWith("{") && each.includes(text))
    return found !== undefined && (JSON.parse(found) as Line)
  })

describe("the log as JSON", () => {
  it("has the id of the request in lines about it", async () => {
    const refused = await api.raw("GET", "/api/dcim/sites/", undefined, "0".repeat(40))
    expect(refused.status).toBe(403)
    const { annotations, level } = await line("audit: ")
    expect(level).toMatch(/INFO|WARN/)
    expect(annotations["request"]).toMatch(/^[0-9a-f-]{36}$/)
    const { annotations: last } = await line(refused.headers.get("x-request-id")!)
    expect(last["request"]).toBe(refused.headers.get("x-request-id"))
  })

  it("has the ids of the delivery and of its request in lines about an attempt", async () => {
    await api.call("POST", "/api/extras/webhooks/", {
      ...{ name: "gone", content_types: ["extras.tag"], type_create: true, payload_url: receiver.url }
    })
    const { headers } = await api.call("POST", "/api/extras/tags/", named("one"))
    const { annotations } = await line("its receiver answered 410")
    const received = await receiver.until(() => true)
    expect(annotations).toEqual({
      delivery: received.headers["x-hook-delivery"],
      request: headers.get("x-request-id")
    })
  })
})
