/** Deliveries of one object that are read for a batch, in a real Redis that two processes share. */
import fc from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Entry, Settlement } from "../../src/queue/Entry.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { delivery, startStreams } from "./TwoReaders.ts"
import { runs } from "../support/Seed.ts"

const streams = startStreams()
const run = Effect.runPromise

/** Delivery `idx` of this object. */
const of = (idx: number, objectId: number) => ({ ...delivery(idx), objectId })

const names = (entries: ReadonlyArray<Entry>) => entries.map((entry) => entry.delivery.idx)

describe("deliveries that are read together", () => {
  const together = (count = 10) => run(streams().one.read(1, count, true, true))
  const settle = (settled: ReadonlyArray<Settlement>) => run(streams().one.settle(1, settled))
  const retried = (entry: Entry, delayMillis = 0): Settlement => ({
    entry,
    later: { delayMillis, delivery: { ...entry.delivery, attempts: entry.delivery.attempts + 1 } }
  })

  it("are several of an object in their order, and block it until all are done", async () => {
    const { append, other } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 8), of(4, 7)]))
    const batch = await together(3)
    expect(names(batch)).toEqual([1, 2, 3])
    expect(names(await run(other.read(1, 10, true, true)))).toEqual([])
    await settle(batch.map((entry) => ({ entry })))
    expect(names(await run(other.read(1, 10, true, true)))).toEqual([4])
  })

  it("take in those that were parked behind the first of their object", async () => {
    const { append, one } = streams()
    await run(append.append([of(1, 7), of(2, 7), of(3, 8)]))
    const alone = await run(one.read(1, 10, true))
    expect(names(alone)).toEqual([1, 3])
    await run(append.append([of(4, 7), of(5, 7)]))
    await settle([retried(alone[0]!), { entry: alone[1]! }])
    expect(names(await together())).toEqual([])
    await run(one.promote(1, true))
    expect(names(await together(3))).toEqual([1, 2, 4])
  })

  it("are parked in their order when they are to be tried again, behind the first of them", async () => {
    const { append, one } = streams()
    await run(append.append([1, 2, 3, 4].map((idx) => of(idx, 7))))
    const batch = await together(3)
    await settle(batch.map((entry) => retried(entry)))
    await run(one.promote(1, true))
    const again = await together()
    expect(again.map(({ delivery: { idx, attempts } }) => [idx, attempts])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0]
    ])
  })

  it("are not parked by a settlement that is repeated because its reply was lost", async () => {
    const { append, one, other } = streams()
    await run(append.append([1, 2, 3].map((idx) => of(idx, 7))))
    const batch = await together(2)
    const again = batch.map((entry) => retried(entry))
    await settle(again)
    await run(one.promote(1, true))
    const [first, second] = await run(other.read(1, 1, true, true))
    expect([first!.delivery.idx, second]).toEqual([1, undefined])
    await run(other.settle(1, [{ entry: first! }]))
    await settle(again)
    await run(one.promote(1, true))
    expect(names(await together())).not.toContain(1)
  })

  it("go on with the second when the first has failed for good", async () => {
    const { append } = streams()
    await run(append.append([1, 2, 3].map((idx) => of(idx, 7))))
    const [first, second] = await together(2)
    await settle([{ entry: first! }, retried(second!, 60_000)])
    expect(names(await together())).toEqual([2, 3])
  })

  it("are parked by who claims only a part of them, and do not overtake", async () => {
    const { append, one, other } = streams()
    await run(append.append([1, 2, 3].map((idx) => of(idx, 7))))
    const batch = await together(2)
    await run(one.handBack(1, batch))
    const claimed = await run(other.reclaim(1, true))
    expect(names(claimed)).toEqual([1, 2])
    expect(names(await run(other.park(1, claimed.slice(1))))).toEqual([])
    expect(names(await run(other.park(1, claimed.slice(0, 1))))).toEqual([1])
    // It is not the first reader's any more.
    expect(names(await run(one.park(1, batch.slice(0, 1))))).toEqual([1])
    await run(other.settle(1, [{ entry: claimed[0]! }]))
    expect(names(await together())).toEqual([2, 3])
  })

  it("keep the order of each object, whatever is read, fails and is claimed", async () => {
    const step = fc.record({
      count: fc.integer({ min: 1, max: 6 }),
      fate: fc.constantFrom("done", "retried", "first is done", "handed back")
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { append, one, other, client } = streams()
        await client.flushdb()
        await run(append.open(1, new Map()))
        await run(append.append(Array.from({ length: 12 }, (_, at) => of(at + 1, at % 3))))
        const ended: Array<number> = []
        const attempt = (reader: Streams["Service"], entries: ReadonlyArray<Entry>, fate: string) => {
          const settled = entries.map((entry, at): Settlement => {
            if (fate === "retried" || (fate === "first is done" && at > 0)) return retried(entry)
            ended.push(entry.delivery.idx)
            return { entry }
          })
          return run(reader.settle(1, settled))
        }
        for (const { count, fate } of [...steps, ...Array.from({ length: 12 }, () => ({ count: 6, fate: "done" }))]) {
          await run(one.promote(1, true))
          const batch = await together(count)
          if (fate !== "handed back") await attempt(one, batch, fate)
          else {
            await run(one.handBack(1, batch))
            const claimed = await run(other.reclaim(1, true))
            await attempt(other, await run(other.park(1, claimed)), "done")
          }
        }
        expect(ended.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1))
        for (const object of [0, 1, 2]) {
          const order = ended.filter((idx) => (idx - 1) % 3 === object)
          expect(order).toEqual(order.toSorted((a, b) => a - b))
        }
      }),
      { numRuns: runs(40) }
    )
  })
})
