import { describe, expect, test } from "vitest"
import { type ObjectChange, type Readable, fold } from "../../src/capture/fold/Change.ts"
import { eventsOf } from "../../src/capture/CapturedEvent.ts"
import type { Kind } from "../../src/event/Kind.ts"
import { RelatedRows } from "../../src/capture/fold/RelatedRows.ts"
import type { Window } from "../../src/capture/fold/TransactionWindows.ts"
import type { Row } from "../../src/inventory/Field.ts"
import { objectType } from "../../src/inventory/Registry.ts"

const kinds: ReadonlyArray<Kind> = ["created", "updated", "deleted"]

const tag = objectType("extras.tag")
const anonymous = { username: "", requestId: "00000000-0000-8000-a000-000000000000" }
const transaction = { commitLsn: 0x152e370n, xid: 7, timestamp: "2026-11-20T23:48:01.123456+00:00", anonymous }
const base = "https://inventory.example"

const rowOf = (id: number, name: string): Row => ({
  id,
  name,
  slug: "slug",
  color: "9e9e9e",
  description: "",
  created: "2026-11-20T23:48:01Z",
  last_updated: "2026-11-20T23:48:01Z"
})

const readable = (row: Row): Readable => ({ id: row.id, row: () => row })

const folded = (kind: Kind, idx: number, extra: Partial<ObjectChange<Readable>> = {}): ObjectChange<Readable> => {
  const before = kind === "created" ? undefined : readable(rowOf(idx, "before"))
  const after = kind === "deleted" ? undefined : readable(rowOf(idx, "after"))
  const last = after ?? readable(rowOf(idx, "end"))
  return { type: tag, kind, before, after, last, idx, context: undefined, ...extra }
}

const toldOf = (changes: ReadonlyArray<ObjectChange<Readable>>, epoch = 0) => {
  const window: Window = {
    transaction,
    changes,
    endLsn: undefined,
    heartbeat: undefined,
    truncated: [],
    moved: undefined,
    relayed: []
  }
  return eventsOf(window, epoch, new RelatedRows(), base)
}

const events = (changes: ReadonlyArray<ObjectChange<Readable>>, epoch = 0) => toldOf(changes, epoch).events

describe("an event", () => {
  test("of a created object has its data and no state before", () => {
    const [event] = events([folded("created", 1)])
    expect(event).toMatchObject({ kind: "created", objectId: 1, display: "after", prechange: null })
    expect(event!.data).toMatchObject({ id: 1, url: `${base}/api/extras/tags/1/`, display: "after", name: "after" })
    expect(event!.postchange).toMatchObject({ name: "after" })
  })

  test("of an updated object has the data after, and both states", () => {
    const [event] = events([folded("updated", 1)])
    expect(event!.data).toMatchObject({ name: "after" })
    expect([event!.prechange, event!.postchange]).toMatchObject([{ name: "before" }, { name: "after" }])
  })

  test("of a deleted object has the data from right before its deletion, and no state after", () => {
    const [event] = events([folded("deleted", 1)])
    expect(event).toMatchObject({ kind: "deleted", objectId: 1, display: "end", postchange: null })
    expect(event!.data).toMatchObject({ id: 1, name: "end" })
    expect(event!.prechange).toMatchObject({ name: "before" })
  })

  test("carries data and states as the same JSON text", () => {
    for (const kind of kinds) {
      const [event] = events([folded(kind, 1)])
      const { data, prechange, postchange, json } = event!
      expect(json).toEqual({
        data: JSON.stringify(data),
        prechange: JSON.stringify(prechange),
        postchange: JSON.stringify(postchange)
      })
    }
  })

  test("has its transaction's position in the epoch, its change's idx and the commit's time", () => {
    const told = events([folded("created", 3), folded("updated", 8)], 2)
    expect(told.map(({ position, idx, timestamp }) => [position, idx, timestamp])).toEqual([
      [(2n << 52n) + 0x152e370n, 3, transaction.timestamp],
      [(2n << 52n) + 0x152e370n, 8, transaction.timestamp]
    ])
  })

  test("names the author of its change, or nobody and an id from the transaction", () => {
    const context = { username: "ann", requestId: "11111111-2222-4333-8444-555555555555" }
    const told = events([folded("created", 1, { context }), folded("created", 2)])
    expect(told.map(({ username, requestId }) => ({ username, requestId }))).toEqual([context, anonymous])
  })
})

describe("a change whose row cannot be read", () => {
  const bad = (idx: number): Readable => ({ id: idx, row: () => rowOf(idx, "bad"), unreadable: "name: too deep" })

  test("is set aside with its position and reason, and the others become events", () => {
    const after = bad(2)
    const told = toldOf([folded("created", 1), folded("updated", 2, { after, last: after }), folded("deleted", 3)])
    expect(told.events.map(({ idx }) => idx)).toEqual([1, 3])
    expect(told.aside).toMatchObject([
      { idx: 2, kind: "updated", objectId: "2", reason: "name: too deep", position: transaction.commitLsn }
    ])
  })

  test("is set aside where making the event fails", () => {
    const broken = readable({ ...rowOf(2, "x"), name: { toJSON: () => expect.unreachable() } })
    const told = toldOf([folded("created", 2, { after: broken, last: broken }), folded("created", 3)])
    expect([told.events.length, told.aside.length]).toEqual([1, 1])
  })

  test("is an event without the state before where the change repaired the row", () => {
    const told = toldOf([folded("updated", 2, { before: bad(2) })])
    expect(told.aside).toEqual([])
    expect(told.events).toMatchObject([{ kind: "updated", prechange: null, postchange: { name: "after" } }])
  })

  test("is kept apart by its id even if no JavaScript number equals that id", () => {
    const unsafe = (unsafeId: string): Readable => ({ ...bad(Number(unsafeId)), unsafeId })
    const changes = ["9007199254740993", "9007199254740992"].map((id, at) => ({
      type: tag,
      before: undefined,
      after: unsafe(id),
      idx: at,
      context: undefined
    }))
    expect(toldOf(fold(changes)).aside.map(({ objectId }) => objectId)).toEqual([
      "9007199254740993",
      "9007199254740992"
    ])
  })
})
