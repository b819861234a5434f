/** Entries that a real Redis has lost, or that came back. */
import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import type { Append } from "../../src/queue/Append.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import type { Entry } from "../../src/queue/Entry.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const run = Effect.runPromise
const streams = startStreams()
let append: Append["Service"]
let one: Streams["Service"]
let other: Streams["Service"]
let client: Client

beforeEach(() => ({ append, one, other, client } = streams()))

const ids = (entries: ReadonlyArray<Entry>) => entries.map((entry) => entry.delivery.idx)

describe("a process that holds an entry", () => {
  it("delays its delivery also when Redis has lost the entry meanwhile", async () => {
    await run(append.append([delivery(1)]))
    const [entry] = await run(one.read(1, 1))
    await client.flushdb()
    await run(one.settle(1, [{ entry: entry!, later: { delayMillis: 60_000, delivery: delivery(1) } }]))
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 0, waiting: 1 })
  })

  it("cancels the delayed copy of a lost entry that it settles, unless somebody asked for the copy by hand", async () => {
    for (const { spent, waiting } of [
      { spent: 1, waiting: 0 },
      { spent: 0, waiting: 1 }
    ]) {
      await client.flushdb()
      await run(append.open(1, new Map()))
      await run(append.append([delivery(1)]))
      const [entry] = await run(one.read(1, 1))
      await client.flushdb()
      await run(one.delay(1, [{ delayMillis: 60_000, delivery: { ...delivery(1), attempts: 1, spent } }]))
      await run(one.settle(1, [{ entry: entry! }]))
      expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 0, waiting })
    }
  })

  it("claims entries that the group has read past and nobody holds", async () => {
    await run(append.append([delivery(1), delivery(2), delivery(3)]))
    await client.xgroup("CREATE", keysOf(1).queue, "deliver", "5000-1")
    await client.xgroup("CREATE", keysOf(1).again, "deliver", "0", "MKSTREAM")
    expect(ids(await run(other.read(1, 1)))).toEqual([2])
    expect((await run(one.inspect([1])))[0]).toMatchObject({ queued: 2, stranded: false })
    expect(ids(await run(other.read(1, 1)))).toEqual([3])
    expect((await run(one.inspect([1])))[0]).toMatchObject({ queued: 1, pending: 2, stranded: true })
    expect(ids(await run(one.claimStranded(1)))).toEqual([1])
    expect((await run(one.inspect([1])))[0]).toMatchObject({ queued: 0, pending: 3, stranded: false })
  })
})
