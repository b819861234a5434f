import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { eventBody } from "../../src/event/Event.ts"
import type { Kind } from "../../src/event/Kind.ts"
import { codePoint } from "../support/CodePoint.ts"

const kinds: ReadonlyArray<Kind> = ["created", "updated", "deleted"]

type Texts = Omit<Parameters<typeof eventBody>[0], "objectType">

/** The body of an event about an object of a type `<app>.<model>`. */
const bodyOf = ({ model, ...texts }: Texts & { readonly model: string }) =>
  eventBody({ ...texts, objectType: `app.${model}` })

describe("the body of an event", () => {
  /** Any JSON, as its text and as the value that the text stands for. */
  const json = fc.jsonValue().map((value) => JSON.stringify(value))
  const text = fc.oneof(fc.string({ unit: codePoint }), fc.string())
  const event = fc.record({
    kind: fc.constantFrom(...kinds),
    timestamp: text,
    model: text,
    username: text,
    requestId: text,
    json: fc.record({ data: json, prechange: json, postchange: json })
  })

  test("is JSON that says what the event is, for any values", () => {
    fc.assert(
      fc.property(event, (event) => {
        const { data, prechange, postchange } = event.json
        expect(JSON.parse(bodyOf(event))).toEqual({
          event: event.kind,
          timestamp: event.timestamp,
          model: event.model,
          username: event.username,
          request_id: event.requestId,
          data: JSON.parse(data),
          snapshots: { prechange: JSON.parse(prechange), postchange: JSON.parse(postchange) }
        })
      })
    )
  })

  test("has its keys in NetBox's order", () => {
    fc.assert(
      fc.property(event, (event) => {
        const body = JSON.parse(bodyOf(event)) as { readonly snapshots: object }
        const order = ["event", "timestamp", "model", "username", "request_id", "data", "snapshots"]
        expect(Object.keys(body)).toEqual(order)
        expect(Object.keys(body.snapshots)).toEqual(["prechange", "postchange"])
      })
    )
  })

  test("holds the data and the snapshots to the letter", () => {
    const exact = { data: '{ "b":1,\n"a":1.0}', prechange: "null", postchange: '"\\u00e9"' }
    const body = bodyOf({ kind: "created", timestamp: "t", model: "m", username: "u", requestId: "r", json: exact })
    expect(body).toBe(
      '{"event":"created","timestamp":"t","model":"m","username":"u","request_id":"r",' +
        '"data":{ "b":1,\n"a":1.0},"snapshots":{"prechange":null,"postchange":"\\u00e9"}}'
    )
  })
})
