/** A webhook that is not saved, tried with a past change. */
import { describe, expect, it } from "vitest"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { sign } from "../../src/webhook/Sign.ts"
import { startDelivering } from "../deliver/Delivering.ts"

const hooks = startDelivering()

interface Tried {
  readonly fires: boolean
  readonly reason: string
  readonly request: {
    readonly url: string
    readonly headers: Record<string, string> | null
    readonly body: string | null
  }
  readonly faults: ReadonlyArray<Json>
}

const trial = (fields: Json) =>
  hooks.api.call<Tried>("POST", "/api/extras/webhooks/trial/", {
    content_types: ["extras.tag"],
    type_create: true,
    payload_url: "https://example.com/{{ model }}",
    ...fields
  })

describe("a trial", () => {
  it("tells whether the webhook would fire, and gives the request as it would leave, signed", async () => {
    await hooks.tag("violet")
    await eventually("the change is logged", async () => (await trial({})).status === 200)
    const { json } = await trial({
      body_template: "{{ data.name | upper }}",
      additional_headers: "X-Kind: {{ event }}",
      secret: "s"
    })
    expect(json).toMatchObject({ fires: true, reason: "", faults: [] })
    expect(json.request).toMatchObject({ method: "POST", url: "https://example.com/tag", body: "VIOLET" })
    expect(json.request.headers).toMatchObject({
      "x-kind": "created",
      "x-hook-attempt": "1",
      "user-agent": expect.stringMatching(/^rackwire\//),
      "x-hook-signature": sign("s", Buffer.from("VIOLET"))
    })
    const declined = await trial({ conditions: { attr: "name", value: "red" } })
    expect(declined.json).toMatchObject({ fires: false, reason: `name is "violet", needs "red"` })
  })

  it("names the place of each fault, and sends nothing", async () => {
    const { json } = await trial({
      body_template: "a\n{% if %}",
      additional_headers: "Host name: x",
      payload_url: "{{ 1 }}"
    })
    expect(json.faults.map(({ field, line }) => [field, line])).toEqual([
      ["payload_url", undefined],
      ["additional_headers", undefined],
      ["body_template", 2]
    ])
    expect(json.request).toMatchObject({ headers: null, body: null })
    expect(hooks.receiver.received).toEqual([])
  })

  it("takes an event that is given in place of a change", async () => {
    const event = { event: "updated", model: "tag", username: "ann", data: { id: 7, name: "given" } }
    const body_template = "{{ username }} {{ event }} {{ data.name }}"
    const reply = await trial({ event, type_update: true, conditions: { attr: "name", value: "given" }, body_template })
    expect(reply.json).toMatchObject({ fires: true, object_change: null, request: { body: "ann updated given" } })
    const wrong = [5, { event: "lost" }, { ...event, model: "cat" }, { ...event, data: [] }]
    for (const each of wrong) {
      const { status, json } = await trial({ event: each })
      expect([status, Object.keys(json)]).toEqual([400, ["event"]])
    }
  })

  it("refuses fields that no webhook may have, by their names", async () => {
    const reply = await trial({ conditions: { and: "x" }, type_create: "perhaps", object_change: undefined })
    expect([reply.status, Object.keys(reply.json).toSorted()]).toEqual([400, ["conditions", "type_create"]])
    const unsigned = await trial({ signature: "standard", secret: "whsk_abc" })
    expect([unsigned.status, Object.keys(unsigned.json)]).toEqual([400, ["secret"]])
    const none = await trial({ content_types: ["dcim.rack"] })
    expect([none.status, Object.keys(none.json)]).toEqual([400, ["content_types"]])
  })
})
