import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type BatchPolicy, parseBatch } from "../../src/inventory/types/extras/WebhookBatch.ts"
import { gatherMillis } from "../../src/webhook/BatchPolicy.ts"
import { batchOf } from "../../src/webhook/Batch.ts"
import { Gathering } from "../../src/deliver/reading/Gathering.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { eventBody } from "../../src/event/Event.ts"
import type { Kind } from "../../src/event/Kind.ts"
import type { Entry } from "../../src/queue/Entry.ts"

interface Told {
  readonly idx: number
  readonly objectId?: number
  readonly kind?: Kind
  readonly before?: unknown
  readonly after?: unknown
  readonly attempts?: number
}

const deliveryOf = ({
  idx,
  objectId = idx,
  kind = "updated",
  before = {},
  after = {},
  attempts = 0
}: Told): Delivery => {
  const head = { kind, objectType: "dcim.site", timestamp: "2026-01-01T00:00:00Z", username: "ada", requestId: "r" }
  const json = { data: `{"id":${objectId}}`, prechange: JSON.stringify(before), postchange: JSON.stringify(after) }
  return {
    ...{ id: `7-100-${idx}`, webhook: 7, position: "100", idx, event: kind, objectType: "dcim.site", objectId },
    ...{ requestId: "r", time: head.timestamp, attempts, spent: attempts, firstAttempt: 0 },
    body: eventBody({ ...head, json })
  }
}

const all = { isLatest: false }
const parsed = (text: string) => JSON.parse(text) as ReadonlyArray<Record<string, unknown>>

describe("a batch", () => {
  test("is a list of events, each with the id of its delivery and its attempt", () => {
    const { body, size, attempts } = batchOf([{ idx: 1, attempts: 3 }, { idx: 2 }].map(deliveryOf), all)
    expect(parsed(body)).toMatchObject([
      { delivery_id: "7-100-1", attempt: 4, event: "updated", data: { id: 1 } },
      { delivery_id: "7-100-2", attempt: 1, event: "updated", data: { id: 2 } }
    ])
    expect({ size, attempts }).toEqual({ size: 2, attempts: 3 })
  })

  test("shows its templates the events, and what is known of each change", () => {
    const { context } = batchOf([deliveryOf({ idx: 1 })], all)
    expect(JSON.parse(context())).toMatchObject({
      events: [{ delivery_id: "7-100-1", object_type: "dcim.site", request: null, data: { id: 1 } }]
    })
  })

  test("has the same id for the same deliveries in any order, and another one for others", () => {
    const idOf = (...indexes: ReadonlyArray<number>) =>
      batchOf(
        indexes.map((idx) => deliveryOf({ idx })),
        all
      ).id
    expect(idOf(1, 2)).toBe(idOf(2, 1))
    expect(new Set([idOf(1), idOf(2), idOf(1, 2), idOf(12), idOf(1, 2, 3)]).size).toBe(5)
    expect(idOf(1)).toMatch(/^7-batch-[0-9a-f]{32}$/)
  })

  test("tells a long event by its bytes", () => {
    const whole = deliveryOf({ idx: 1 })
    const { bytes } = batchOf([{ ...whole, body: "", chars: 99, bytes: Buffer.from(whole.body) }], all)
    expect(parsed(bytes!.toString())).toEqual(parsed(batchOf([whole], all).body))
  })
})

describe("a batch of the latest", () => {
  const latest = (...told: ReadonlyArray<Told>) => parsed(batchOf(told.map(deliveryOf), { isLatest: true }).body)

  test("holds of each object the newest event, with the state before the first", () => {
    const found = latest(
      { idx: 2, objectId: 5, before: { name: "b" }, after: { name: "c" } },
      { idx: 3, objectId: 6, before: { name: "x" }, after: { name: "y" } },
      { idx: 1, objectId: 5, before: { name: "a" }, after: { name: "b" } }
    )
    expect(found).toMatchObject([
      { delivery_id: "7-100-2", event: "updated", snapshots: { prechange: { name: "a" }, postchange: { name: "c" } } },
      { delivery_id: "7-100-3", snapshots: { prechange: { name: "x" }, postchange: { name: "y" } } }
    ])
  })

  test("tells of an object as created if that was its first event, and as deleted if that was its last", () => {
    const created: Told = { idx: 1, objectId: 5, kind: "created", before: null, after: { name: "a" } }
    const updated: Told = { idx: 2, objectId: 5, before: { name: "a" }, after: { name: "b" } }
    const deleted: Told = { idx: 3, objectId: 5, kind: "deleted", before: { name: "b" }, after: null }
    expect(latest(created, updated)).toMatchObject([
      { event: "created", snapshots: { prechange: null, postchange: { name: "b" } } }
    ])
    expect(latest(updated, deleted)).toMatchObject([
      { event: "deleted", snapshots: { prechange: { name: "a" }, postchange: null } }
    ])
  })

  test("keeps what it tells as it was written, names and numbers included", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const found = latest(
          { idx: 1, objectId: 5, before, after: "between" },
          { idx: 2, objectId: 5, before: "between", after }
        )
        expect(found).toHaveLength(1)
        expect(found[0]!["snapshots"]).toEqual(JSON.parse(JSON.stringify({ prechange: before, postchange: after })))
      })
    )
  })
})

describe("what a webhook says about batches", () => {
  test("is read, and refused by name", () => {
    expect(parseBatch({ size: 100, seconds: 0.5 })).toEqual({ size: 100, millis: 500, isLatest: false })
    expect(parseBatch({ size: 1, seconds: 0, latest: true })).toEqual({ size: 1, millis: 0, isLatest: true })
    expect(parseBatch([])).toBe("A batch is an object.")
    expect(parseBatch({ size: 501, seconds: 1 })).toBe("size must be a whole number from 1 to 500.")
    expect(parseBatch({ size: 1.5, seconds: 1 })).toBe("size must be a whole number from 1 to 500.")
    expect(parseBatch({ size: 10, seconds: 301 })).toBe("seconds must be a number from 0 to 300.")
    expect(parseBatch({ size: 10 })).toBe("seconds must be a number from 0 to 300.")
    expect(parseBatch({ size: 10, seconds: 1, latest: 1 })).toBe("latest must be true or false.")
    expect(parseBatch({ size: 10, second: 1 })).toContain("second is not known")
  })

  test("decides when it is read: full, or when its first delivery has waited", () => {
    const policy: BatchPolicy = { size: 10, millis: 5000, isLatest: false }
    expect(gatherMillis(policy, { nowMillis: 100, sinceMillis: 100, unread: 9 })).toBe(5000)
    expect(gatherMillis(policy, { nowMillis: 4100, sinceMillis: 100, unread: 9 })).toBe(1000)
    expect(gatherMillis(policy, { nowMillis: 9000, sinceMillis: 100, unread: 1 })).toBe(0)
    expect(gatherMillis(policy, { nowMillis: 100, sinceMillis: 100, unread: 10 })).toBe(0)
  })
})

describe("the entries of the next batch", () => {
  const entries = (...bodies: ReadonlyArray<string | undefined>): ReadonlyArray<Entry> =>
    bodies.map((body, idx) => ({
      ...{ stream: "queue", entryId: `${idx}`, ordered: false },
      delivery: { ...deliveryOf({ idx }), ...(body === undefined ? { body: "", chars: 20_000 } : { body }) }
    }))
  const policy: BatchPolicy = { size: 3, millis: 0, isLatest: false }
  const gathering = () =>
    new Gathering(
      () => 0,
      () => {}
    )

  test("are as many as the webhook says, and no more than a megabyte", () => {
    expect(gathering().take(entries("a", "b"), policy)).toBe(2)
    expect(gathering().take(entries("a", "b", "c", "d"), policy)).toBe(3)
    const half = "x".repeat(600_000)
    expect(gathering().take(entries(half, half), policy)).toBe(1)
    expect(gathering().take([], policy)).toBe(0)
  })

  test("hold one whose event is loaded later alone", () => {
    expect(gathering().take(entries("a", "b", undefined), policy)).toBe(2)
    expect(gathering().take(entries(undefined, "b"), policy)).toBe(1)
  })

  test("are halved for as many as failed on a template, and go on as before", () => {
    const one = gathering()
    const large = { ...policy, size: 8 }
    one.halve(5)
    expect(one.sizeOf(large)).toBe(3)
    one.take(entries("a", "b", "c"), large)
    one.halve(3)
    expect(one.sizeOf(large)).toBe(2)
    one.take(entries("a", "b"), large)
    one.take(entries("a", "b"), large)
    expect(one.sizeOf(large)).toBe(2)
    one.take(entries("a"), large)
    expect(one.sizeOf(large)).toBe(8)
    one.halve(2, 3)
    one.take(entries("a", "b", "c", "d"), large)
    expect(one.sizeOf(large)).toBe(1)
  })
})
