/** Deliveries that do not wait for an open circuit breaker, in a real Redis. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/queue/Entry.ts"
import { objectOf } from "../../src/queue/Ordered.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const streams = startStreams()
const run = Effect.runPromise

const shown = (entries: ReadonlyArray<Entry>) => entries.map((entry) => `${entry.stream} ${entry.delivery.idx}`)

/** A delivery that waits for its next attempt in so many milliseconds. */
const delayed = (idx: number, delayMillis: number) => ({ delayMillis, delivery: { ...delivery(idx), attempts: 1 } })

describe("an urgent delivery", () => {
  it.each([false, true])("is read before the others, and alone if that is wished; in order: %j", async (ordered) => {
    const { append, one } = streams()
    await run(append.append([delivery(1)]))
    await run(one.delay(1, [delayed(2, 0)]))
    await run(one.promote(1, ordered))
    expect(await run(one.urge(1, [delivery(3), delivery(4)]))).toEqual([])
    expect(shown(await run(one.readUrgent(1, 1, ordered)))).toEqual(["urgent 3"])
    expect(shown(await run(one.read(1, 9, ordered)))).toEqual(["urgent 4", "again 2", "queue 1"])
    expect(await run(one.readUrgent(1, 9, ordered))).toEqual([])
  })

  it("is taken from where it waits: it is sent once", async () => {
    const { one } = streams()
    await run(one.delay(1, [delayed(1, 60_000), delayed(2, 0)]))
    await run(one.promote(1))
    await run(one.urge(1, [delivery(1), delivery(2)]))
    // As after a crash.
    await run(one.urge(1, [delivery(1), delivery(2)]))
    expect(await run(one.depth(1))).toEqual({ queued: 2, pending: 0, waiting: 0 })
    const entries = await run(one.read(1, 9))
    expect(shown(entries)).toEqual(["urgent 1", "urgent 2"])
    await run(one.settle(1, [{ entry: entries[0]! }, { entry: entries[1]!, later: delayed(2, 60_000) }]))
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 0, waiting: 1 })
  })

  it("stays where it is while a process holds it, or another delivery of its object comes first", async () => {
    const { one, other } = streams()
    await run(one.delay(1, [delayed(1, 0)]))
    await run(one.promote(1))
    await run(other.read(1, 9))
    const second = { ...delivery(2), objectId: 1 }
    await run(one.delay(1, [delayed(1, 0), { delayMillis: 0, delivery: second }], true))
    const first = { ...delivery(3), objectId: 9 }
    await run(one.delay(1, [{ delayMillis: 60_000, delivery: first }], true))
    expect((await run(one.urge(1, [second, first]))).map(({ idx }) => idx)).toEqual([2])
    expect(shown(await run(one.read(1, 9, true)))).toEqual(["urgent 3"])
  })

  it("is discarded, reclaimed and counted like others", async () => {
    const { one, other } = streams()
    await run(one.urge(1, [delivery(1), delivery(2)]))
    await run(one.drop(1, [{ id: delivery(1).id, object: objectOf(delivery(1)) }]))
    const entries = await run(one.read(1, 9))
    expect(shown(entries)).toEqual(["urgent 2"])
    await run(one.handBack(1, entries))
    expect(await run(other.inspect([1]))).toMatchObject([{ queued: 1, pending: 0, waiting: 0, unleased: 1 }])
    expect(shown(await run(other.reclaim(1)))).toEqual(["urgent 2"])
  })

  it("is not missing", async () => {
    const { one } = streams()
    await run(one.urge(1, [delivery(1)]))
    const sought = [1, 2].map((idx) => ({ id: delivery(idx).id, place: "", entryId: "" }))
    expect((await run(one.missing(1, sought)))?.map(({ id }) => id)).toEqual([delivery(2).id])
  })
})
