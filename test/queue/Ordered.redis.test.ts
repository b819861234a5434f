/** Order within an object, in a real Redis that two processes share. */
import fc from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import type { RedisError } from "../../src/redis/Redis.ts"
import type { Entry } from "../../src/queue/Entry.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { delivery, startStreams } from "./TwoReaders.ts"
import { runs } from "../support/Seed.ts"

const streams = startStreams()
const run = Effect.runPromise

/** Delivery `idx` of one of three objects. */
const of = (idx: number, objectId = idx % 3) => ({ ...delivery(idx), objectId })

const names = (entries: ReadonlyArray<Entry>) => entries.map((entry) => entry.delivery.idx)

/** Whoever holds them does it; for the other reader it is nothing. */
const byHolder = async (act: (reader: Streams["Service"]) => Effect.Effect<void, RedisError>) => {
  await run(act(streams().one))
  await run(act(streams().other))
}

const done = (...entries: ReadonlyArray<Entry>) =>
  byHolder(({ settle }) =>
    settle(
      1,
      entries.map((entry) => ({ entry }))
    )
  )

const later = (entry: Entry, delayMillis: number) =>
  byHolder(({ settle }) => settle(1, [{ entry, later: { delayMillis, delivery: entry.delivery } }]))

describe("deliveries of one object", () => {
  it("go out one after the other and do not block those of other objects", async () => {
    const { append, one, other } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 8), of(4, 7), of(5, 9)]))
    const first = await run(one.read(1, 2, true))
    expect(names(first)).toEqual([1, 3])
    const second = await run(other.read(1, 10, true))
    expect(names(second)).toEqual([5])
    expect(await run(one.depth(1))).toEqual({ queued: 2, pending: 3, waiting: 0 })
    await done(first[0]!)
    const third = await run(other.read(1, 10, true))
    expect(names(third)).toEqual([2])
    await done(...third, first[1]!)
    expect(names(await run(one.read(1, 10, true)))).toEqual([4])
  })

  it("wait for one that is delayed, also those that come meanwhile", async () => {
    const { append, one } = streams()
    await run(append.append([of(1, 7), of(2, 7)]))
    const [first] = await run(one.read(1, 10, true))
    await later(first!, 60_000)
    await run(append.append([of(3, 7), of(4, 8)]))
    expect(names(await run(one.read(1, 10, true)))).toEqual([4])
    await run(one.delay(1, [{ delayMillis: 0, delivery: first!.delivery }]))
    await run(one.promote(1, true))
    const again = await run(one.read(1, 10, true))
    expect(names(again)).toEqual([1])
    await done(...again)
    const [second] = await run(one.read(1, 10, true))
    expect(second!.delivery.idx).toBe(2)
    await done(second!)
    expect(names(await run(one.read(1, 10, true)))).toEqual([3])
  })

  it("go out when the one before them is dropped, delayed or due, unless a process holds it", async () => {
    const { append, one, client } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 8), of(4, 8), of(5, 9), of(6, 9)]))
    const [waits, due, held] = await run(one.read(1, 10, true))
    await later(waits!, 60_000)
    await later(due!, 0)
    await later(held!, 0)
    await run(one.promote(1, true))
    const again = (await run(one.browse(1, "again", "-", 10))).map(({ delivery }) => delivery.idx)
    expect(again).toEqual([3, 5])
    // Somebody is at the one of object 8; the one of object 9 is nobody's.
    const [other] = await run(one.read(1, 1, true))
    expect(other!.delivery.idx).toBe(3)
    const outs = [1, 3, 5].map((idx, at) => ({ id: of(idx).id, object: `dcim.site ${7 + at}` }))
    await run(one.drop(1, outs))
    const next = await run(one.read(1, 10, true))
    expect(names(next)).toEqual([2, 6])
    await done(other!)
    const last = await run(one.read(1, 10, true))
    expect(names(last)).toEqual([4])
    await done(...next, ...last)
    expect(await client.exists(keysOf(1).unattempted, keysOf(1).blocked, keysOf(1).later)).toBe(0)
  })

  it("that are dropped while they are parked never go out", async () => {
    const { append, one, client } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 7)]))
    const first = await run(one.read(1, 10, true))
    await run(one.drop(1, [{ id: of(2).id, object: "dcim.site 7" }]))
    await done(...first)
    const last = await run(one.read(1, 10, true))
    expect(names(last)).toEqual([3])
    await done(...last)
    expect(await client.exists(keysOf(1).parked, keysOf(1).held, keysOf(1).unattempted)).toBe(0)
  })

  it("wait for one whose process is gone until another process claims it", async () => {
    const { append, one, other, client } = streams()
    await run(append.append([of(1, 7), of(2, 7)]))
    const held = await run(one.read(1, 10, true))
    expect(await run(other.read(1, 10, true))).toEqual([])
    await run(one.handBack(1, held))
    const taken = await run(other.reclaim(1, true))
    expect(names(taken)).toEqual([1])
    expect(await run(other.read(1, 10, true))).toEqual([])
    await done(...taken)
    expect(names(await run(other.read(1, 10, true)))).toEqual([2])
    expect(await client.exists(keysOf(1).parked)).toBe(0)
  })

  it("wait for one that was delayed before Redis lost everything", async () => {
    const { append, one, client } = streams()
    await run(append.append([of(1, 7)]))
    const [first] = await run(one.read(1, 10, true))
    await later(first!, 60_000)
    await client.flushdb()
    await run(append.open(1, new Map()))
    const held = [of(1, 7), of(2, 7)].map((one) => ({ delayMillis: 60_000, delivery: { ...one, attempts: 1 } }))
    await run(one.delay(1, held, true))
    await run(append.append([of(3, 7), of(4, 8)]))
    expect(names(await run(one.read(1, 10, true)))).toEqual([4])
    expect(await run(one.depth(1))).toEqual({ queued: 2, pending: 1, waiting: 1 })
  })

  it("count as unfinished while they are parked, and after they are unblocked until they are attempted", async () => {
    const { append, one } = streams()
    const head = () => run(Effect.map(one.heads([1]), (heads) => heads.get(1)))
    await run(append.append([of(1, 7), of(2, 7), of(3, 8), of(4, 7)]))
    const [first, other] = await run(one.read(1, 10, true))
    await done(other!)
    expect(await head()).toBe("5000-1")
    await later(first!, 0)
    // The first was attempted; the others are out of the queue and nowhere in the log.
    expect(await head()).toBe("5000-2")
    await run(one.promote(1, true))
    for (const [idx, next] of [
      [1, "5000-2"],
      [2, "5000-4"],
      [4, undefined]
    ] as const) {
      const entries = await run(one.read(1, 10, true))
      expect(names(entries)).toEqual([idx])
      await done(...entries)
      expect(await head()).toBe(next)
    }
  })

  it("wait for the copy of one that Redis lost while it was under way", async () => {
    const { append, one, other, client } = streams()
    /** The first is out at `one` when Redis loses everything; then it waits again, and the second is behind it. */
    const lost = async (delayMillis: number) => {
      await client.flushdb()
      await run(append.open(1, new Map()))
      await run(append.append([of(1, 7)]))
      const [first] = await run(one.read(1, 10, true))
      await client.flushdb()
      await run(append.open(1, new Map()))
      const copy = { ...of(1, 7), attempts: 1, spent: 1 }
      await run(one.delay(1, [{ delayMillis, delivery: copy }], true))
      await run(append.append([of(2, 7)]))
      expect(await run(other.read(1, 10, true))).toEqual([])
      return first!
    }
    await run(one.settle(1, [{ entry: await lost(60_000) }]))
    expect(names(await run(one.read(1, 10, true)))).toEqual([2])
    const first = await lost(0)
    await run(other.promote(1, true))
    const copies = await run(other.read(1, 10, true))
    expect(names(copies)).toEqual([1])
    await run(one.settle(1, [{ entry: first }]))
    expect(await run(one.read(1, 10, true))).toEqual([])
    await run(other.settle(1, [{ entry: copies[0]! }]))
    expect(names(await run(one.read(1, 10, true)))).toEqual([2])
    // A delivery that another process has done is not retried behind later ones.
    await run(one.settle(1, [{ entry: first, later: { delayMillis: 0, delivery: first.delivery } }]))
    expect(await run(one.depth(1))).toMatchObject({ waiting: 0 })
  })

  it("are found behind a thousand that are blocked", async () => {
    const { append, one } = streams()
    await run(append.append(Array.from({ length: 1200 }, (_, n) => of(n + 1, n < 1199 ? 7 : 8))))
    expect(names(await run(one.read(1, 2, true)))).toEqual([1, 1200])
  })

  it("all go out at once when order does not matter any more", async () => {
    const { append, one, client } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 7)]))
    expect(names(await run(one.read(1, 10, true)))).toEqual([1])
    await run(one.promote(1, false))
    expect(names(await run(one.read(1, 10)))).toEqual([2, 3])
    expect(await client.exists(keysOf(1).blocked, keysOf(1).parked)).toBe(0)
  })

  it("are attempted one at a time and end in the order of the WAL, whatever reads, failures, crashes and retries happen", async () => {
    const { append, one, other, client } = streams()
    const step = fc.record({
      reader: fc.boolean(),
      act: fc.constantFrom("done", "later", "die", "read"),
      at: fc.nat(9)
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { maxLength: 12 }),
        fc.array(step, { maxLength: 30 }),
        async (objects, steps) => {
          await client.flushdb()
          await run(append.open(1, new Map()))
          await run(append.append(objects.map((object, at) => of(at + 1, object))))
          const out: Array<Entry> = []
          const ended: Array<Entry> = []
          const take = async (entries: ReadonlyArray<Entry>) => {
            out.push(...entries)
            const busy = out.map((entry) => entry.delivery.objectId)
            expect(new Set(busy).size).toBe(busy.length)
          }
          const act = async ({ reader, act, at }: { reader: boolean; act: string; at: number }) => {
            const by = reader ? one : other
            await run(by.promote(1, true))
            const [entry] = act === "read" ? [] : out.splice(at % Math.max(out.length, 1), 1)
            if (entry === undefined) return take(await run(by.read(1, 2, true)))
            if (act === "later") return later(entry, 0)
            if (act === "done") return void (await done(entry), ended.push(entry))
            await byHolder(({ handBack }) => handBack(1, [entry]))
            await take(await run(by.reclaim(1, true)))
          }
          for (const each of steps) await act(each)
          for (let turn = 0; ended.length < objects.length && turn < 50; turn++) {
            await act({ reader: true, act: "read", at: 0 })
            while (out.length > 0) await act({ reader: false, act: "done", at: 0 })
          }
          for (const object of [0, 1, 2]) {
            const order = ended
              .filter(({ delivery }) => delivery.objectId === object)
              .map(({ delivery }) => delivery.idx)
            const expected = objects.flatMap((each, at) => (each === object ? [at + 1] : []))
            expect(order).toEqual(expected)
          }
          expect(await client.exists(keysOf(1).blocked, keysOf(1).parked)).toBe(0)
        }
      ),
      { numRuns: runs(40) }
    )
  })
})
