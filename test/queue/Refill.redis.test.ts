/** Streams of which a real Redis has lost entries, and how they are refilled. */
import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import type { Append } from "../../src/queue/Append.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const run = Effect.runPromise
const streams = startStreams()
let append: Append["Service"]
let one: Streams["Service"]
let client: Client

beforeEach(() => ({ append, one, client } = streams()))

/** All that is owed as one part. */
const all = (owed: ReadonlyArray<Delivery>) => ({ owed, after: "", isLast: true })

const ids = (entries: ReadonlyArray<{ readonly delivery: Delivery }>) => entries.map((entry) => entry.delivery.idx)

describe("a stream that lost entries", () => {
  const lostAfter = async (harm: () => Promise<unknown>) => {
    await run(append.append([delivery(1), delivery(2), delivery(1, 2)]))
    await harm()
    return (await run(append.append([delivery(3), delivery(3, 2)]))).lost
  }

  it("is noticed before anything is added to it, whatever was lost, and other streams go on", async () => {
    expect(await lostAfter(() => client.flushdb())).toEqual([1, 2])
    await run(append.open(1, new Map()))
    await client.flushdb()
    expect(await lostAfter(() => client.del(keysOf(1).queue))).toEqual([1])
    expect(ids(await run(one.read(2, 10)))).toEqual([1, 3])
    expect(await client.exists(keysOf(1).queue)).toBe(0)
  })

  it("is noticed also when a reader has created an empty one in its place", async () => {
    expect(
      await lostAfter(async () => {
        await client.del(keysOf(1).queue)
        await run(one.read(1, 10))
      })
    ).toEqual([1])
  })

  it("is noticed by a process that begins to append, by the ids that were on disk", async () => {
    await run(append.append([delivery(1), delivery(2)]))
    expect((await run(append.open(2, new Map([[1, "5000-2"]])))).lost).toEqual([])
    const ahead = await run(append.open(3, new Map([[1, "5000-3"]])))
    expect(ahead.lost).toEqual([1])
  })

  it("is refilled in order, refuses entries that it had, and goes on", async () => {
    await run(append.append([delivery(1), delivery(2), delivery(3), delivery(4)]))
    await client.flushdb()
    await run(append.restore(1, all([delivery(2), delivery(3)])))
    expect(ids(await run(one.read(1, 10)))).toEqual([2, 3])
    expect(await run(append.append([delivery(4), delivery(5)]))).toMatchObject({ duplicates: 1, lost: [] })
    expect(ids(await run(one.read(1, 10)))).toEqual([5])
  })

  it("still refuses entries that it had when nothing is owed any more", async () => {
    await run(append.append([delivery(1), delivery(2)]))
    await client.flushdb()
    await run(append.restore(1, all([])))
    expect(await run(append.append([delivery(1), delivery(2), delivery(3)]))).toMatchObject({ duplicates: 2, lost: [] })
    expect(ids(await run(one.read(1, 10)))).toEqual([3])
  })
})

describe("a stream that lost more entries than one call adds", () => {
  const many = Array.from({ length: 1200 }, (_, n) => delivery(n + 1))

  it("is refilled with all of them", async () => {
    await run(append.append(many))
    await client.flushdb()
    await run(append.restore(1, all(many)))
    expect(ids(await run(one.read(1, 2000)))).toEqual(many.map(({ idx }) => idx))
    expect((await run(append.append([delivery(1201)]))).lost).toEqual([])
  })

  it("is refilled in parts, and counts as lost until the last of them", async () => {
    await run(append.append(many))
    await client.flushdb()
    const after = await run(append.restore(1, { owed: many.slice(0, 700), after: "", isLast: false }))
    expect(after).toBe("5000-700")
    expect((await run(append.append([delivery(1201)]))).lost).toEqual([1])
    await run(append.open(2, new Map([[1, "5000-1200"]])))
    expect((await run(append.append([delivery(1201)]))).lost).toEqual([1])
    await run(append.open(3, new Map([[1, "5000-1200"]])))
    await run(append.restore(1, { owed: many.slice(0, 700), after: "", isLast: false }))
    await run(append.restore(1, { owed: many.slice(700), after, isLast: false }))
    await run(append.restore(1, { owed: [], after: "5000-1200", isLast: true }))
    expect(ids(await run(one.read(1, 2000)))).toEqual(many.map(({ idx }) => idx))
    expect((await run(append.append([delivery(1201)]))).lost).toEqual([])
  })

  it("loses a part of the refill again, and the next part is refused", async () => {
    await run(append.append(many))
    await client.flushdb()
    const after = await run(append.restore(1, { owed: many.slice(0, 700), after: "", isLast: false }))
    await client.flushdb()
    const next = append.restore(1, { owed: many.slice(700), after, isLast: true })
    await expect(run(next)).rejects.toThrow("lost entries again")
  })

  it("counts as lost until the last of them is added", async () => {
    await run(append.append(many))
    await client.flushdb()
    // As if the process had died with the first part in.
    await run(append.open(1, new Map()))
    await run(append.append(many.slice(0, 500)))
    expect((await run(append.open(2, new Map([[1, "5000-1200"]])))).lost).toEqual([1])
    await run(append.restore(1, all(many)))
    expect(ids(await run(one.read(1, 2000)))).toEqual(many.map(({ idx }) => idx))
  })
})
