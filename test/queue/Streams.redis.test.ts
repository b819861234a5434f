/** Deliveries in a real Redis. */
import { Effect, Scope } from "effect"
import type { Redis as Client } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import { Append } from "../../src/queue/Append.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { usualPace } from "../../src/eventloop/Pace.ts"
import { group, keysOf } from "../../src/queue/Keys.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { inspect } from "../../src/queue/Sweep.ts"
import { eventually } from "../support/Eventually.ts"
import { delivery, startStreams } from "./TwoReaders.ts"
import { testPrefix } from "../support/Redis.ts"

const run = Effect.runPromise
const { leaseMillis } = usualPace.stream
const streams = startStreams()
let append: Append["Service"]
let one: Streams["Service"]
let other: Streams["Service"]
let client: Client
let scope: Scope.Scope

beforeEach(() => ({ append, one, other, client, scope } = streams()))

const ids = (entries: ReadonlyArray<{ readonly delivery: Delivery }>) => entries.map((entry) => entry.delivery.idx)

describe("appending", () => {
  it("refuses entries that are in the stream already, and those that were and are done", async () => {
    expect((await run(append.append([delivery(1), delivery(2)]))).duplicates).toBe(0)
    expect((await run(append.append([delivery(1), delivery(2), delivery(3)]))).duplicates).toBe(2)
    const entries = await run(one.read(1, 10))
    await run(
      one.settle(
        1,
        entries.map((entry) => ({ entry }))
      )
    )
    expect((await run(append.append([delivery(1), delivery(3)]))).duplicates).toBe(2)
    expect(await run(one.read(1, 10))).toEqual([])
  })

  it("keeps each delivery unchanged, and the order of the WAL", async () => {
    const deliveries = [delivery(1), delivery(2), delivery(10)]
    await run(append.append(deliveries))
    expect((await run(one.read(1, 10))).map((entry) => entry.delivery)).toEqual(deliveries)
  })

  it("publishes which webhook has new entries", async () => {
    const heard = new Promise<number>((resolve) =>
      Effect.runFork(
        Scope.provide(
          other.onWake((webhook) => webhook === 7 && resolve(webhook)),
          scope
        )
      )
    )
    // Subscribing is not instant, and a wake that is missed is made up for by the next.
    const again = setInterval(() => void run(append.append([delivery(Math.floor(performance.now()), 7)])), 20)
    expect(await heard).toBe(7)
    clearInterval(again)
  })

  it("begins with the webhooks that have the fewest", async () => {
    const heard: Array<number> = []
    await run(
      Scope.provide(
        other.onWake((webhook) => heard.push(webhook)),
        scope
      )
    )
    await eventually("it listens", async () => {
      await run(append.append([delivery(Math.floor(performance.now()), 9)]))
      return heard.includes(9)
    })
    const many = [6, 7].flatMap((webhook) => Array.from({ length: 600 }, (_, at) => delivery(at + 1, webhook)))
    await run(append.append([...many, delivery(1, 8)]))
    await eventually("all are heard of", () => [6, 7, 8].every((webhook) => heard.includes(webhook)))
    expect(heard.find((webhook) => [6, 7, 8].includes(webhook))).toBe(8)
  })
})

describe("a process that does not lead any more", () => {
  it("is refused because of its generation", async () => {
    await run(append.append([delivery(1)]))
    await run(append.open(5, new Map()))
    await run(append.append([delivery(2)]))
    await run(append.open(4, new Map()))
    await expect(run(append.append([delivery(3)]))).rejects.toThrow("FENCED by generation 5")
    expect(ids(await run(one.read(1, 10)))).toEqual([1, 2])
  })
})

describe("reading", () => {
  it("gives an entry to one reader, and to no other while the lease holds", async () => {
    await run(append.append([delivery(1), delivery(2), delivery(3)]))
    expect(ids(await run(one.read(1, 2)))).toEqual([1, 2])
    expect(ids(await run(other.read(1, 10)))).toEqual([3])
    expect(await run(other.reclaim(1))).toEqual([])
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 3, waiting: 0 })
  })

  it("lets another reader claim all entries of one that is gone, also behind many that are held", async () => {
    const all = Array.from({ length: 350 }, (_, n) => delivery(n + 1))
    await run(append.append(all))
    const entries = await run(one.read(1, 350))
    // As if nobody had been heard of for a minute; then `one` says that it still works on the first 200.
    const { queue } = keysOf(1)
    await client.xclaim(queue, "deliver", "one", 0, ...entries.map((entry) => entry.entryId), "IDLE", 60_000, "JUSTID")
    await run(one.keep(1, entries.slice(0, 200)))
    const taken: Array<number> = []
    for (let turn = 0; turn < 5; turn++) taken.push(...ids(await run(other.reclaim(1))))
    expect(taken.sort((a, b) => a - b)).toEqual(all.slice(200).map(({ idx }) => idx))
  })

  it("refuses a late reader that keeps, settles or delays entries that another one has claimed or ended", async () => {
    await run(append.append([delivery(1), delivery(2)]))
    const [first, second] = await run(one.read(1, 2))
    await run(one.handBack(1, [first!, second!]))
    const taken = await run(other.reclaim(1))
    expect(ids(taken)).toEqual([1, 2])
    expect(await run(one.keep(1, [first!, second!]))).toEqual([first, second])
    await run(other.settle(1, [{ entry: taken[0]! }]))
    const wait = { delayMillis: 60_000, delivery: delivery(1) }
    await run(
      one.settle(1, [
        { entry: first!, later: wait },
        { entry: second!, later: wait }
      ])
    )
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 1, waiting: 0 })
    expect(await run(other.keep(1, [taken[1]!]))).toEqual([])
  })

  it("relies no longer on an entry that another reader has read again, and still on one that Redis lost", async () => {
    await run(append.append([delivery(1)]))
    const [entry] = await run(one.read(1, 1))
    const { queue } = keysOf(1)
    const [[id, fields]] = (await client.xrange(queue, "-", "+")) as [[string, Array<string>]]
    await client.del(queue)
    expect(await run(one.keep(1, [entry!]))).toEqual([entry])
    expect(one.isOurs(entry!)).toBe(true)
    // As a stream is filled again: under the same ids.
    await client.xadd(queue, id, ...fields)
    expect(ids(await run(other.read(1, 10)))).toEqual([1])
    expect(one.isOurs(entry!)).toBe(true)
    expect(await run(one.keep(1, [entry!]))).toEqual([entry])
    expect(one.isOurs(entry!)).toBe(false)
  })

  it("lets a reader settle its entry after the group was lost", async () => {
    await run(append.append([delivery(1)]))
    const [entry] = await run(one.read(1, 1))
    await client.xgroup("DESTROY", keysOf(1).queue, "deliver")
    expect(await run(one.keep(1, [entry!]))).toEqual([])
    await run(one.settle(1, [{ entry: entry! }]))
    expect(await run(other.read(1, 10))).toEqual([])
  })

  it("counts, lists, discards and urges entries that a process handed back, as those that nobody has read", async () => {
    await run(append.append([1, 2, 3, 4].map((idx) => delivery(idx))))
    const entries = await run(one.read(1, 4))
    await run(one.handBack(1, entries.slice(1)))
    expect(await run(one.depth(1))).toEqual({ queued: 3, pending: 1, waiting: 0 })
    expect((await run(one.waiting(1, "", 9))).map(({ state }) => state)).toEqual([
      "sending",
      ...Array(3).fill("queued")
    ])
    const place = (idx: number) => ({ id: delivery(idx).id, object: `dcim.site ${idx}`, entryId: `5000-${idx}` })
    await run(one.drop(1, [place(1), place(2)]))
    expect((await run(one.urge(1, [delivery(1), delivery(3)]))).map(({ idx }) => idx)).toEqual([1])
    expect((await run(one.inspect([1])))[0]).toMatchObject({ queued: 2, pending: 1, unleased: 1 })
    expect(ids(await run(other.read(1, 9)))).toEqual([3])
    expect(ids(await run(other.reclaim(1)))).toEqual([4])
  })

  it("deletes consumers that hold nothing and whose processes are long gone", async () => {
    await run(append.append([delivery(1), delivery(2)]))
    const [done] = await run(one.read(1, 1))
    await run(other.read(1, 1))
    await run(one.settle(1, [{ entry: done! }]))
    const consumers = async () => (await client.call("XINFO", "CONSUMERS", keysOf(1).queue, group)) as Array<unknown>
    expect((await inspect(client, [1], leaseMillis))[0]!.pending).toBe(1)
    expect(await consumers()).toHaveLength(2)
    await inspect(client, [1], leaseMillis, -1)
    expect(await consumers()).toEqual([expect.arrayContaining(["pending", 1])])
  })

  it("creates the group again when Redis has lost it", async () => {
    await run(append.append([delivery(1)]))
    await run(one.read(1, 10))
    await client.xgroup("DESTROY", keysOf(1).queue, "deliver")
    expect(ids(await run(one.read(1, 10)))).toEqual([1])
    await client.flushdb()
    await run(append.open(1, new Map()))
    expect(await run(one.read(1, 10))).toEqual([])
    await run(append.append([delivery(2)]))
    expect(ids(await run(one.read(1, 10)))).toEqual([2])
  })
})

describe("delaying", () => {
  it("keeps a delivery with its changes and moves it to `again` when it is due", async () => {
    await run(append.append([delivery(1)]))
    const [entry] = await run(one.read(1, 1))
    const next = { ...entry!.delivery, attempts: 1, spent: 1, firstAttempt: 42 }
    await run(one.settle(1, [{ entry: entry!, later: { delayMillis: 60_000, delivery: next } }]))
    const early = await run(one.promote(1))
    expect(early.moved).toBe(0)
    expect(early.next).toBeGreaterThan(59_000)
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 0, waiting: 1 })
    // Time is Redis' own; move the due time instead of the clock.
    await client.zadd(keysOf(1).later, 1, next.id)
    expect(await run(one.promote(1))).toEqual({ moved: 1, next: undefined })
    const [again] = await run(other.read(1, 1))
    expect([again!.stream, again!.delivery]).toEqual(["again", next])
    await run(other.settle(1, [{ entry: again! }]))
    expect(await run(one.depth(1))).toEqual({ queued: 0, pending: 0, waiting: 0 })
  })

  it("keeps a delivery once, however often it is delayed", async () => {
    await run(one.delay(1, [{ delayMillis: 0, delivery: delivery(1) }]))
    await run(one.delay(1, [{ delayMillis: 0, delivery: { ...delivery(1), attempts: 3 } }]))
    expect(await run(one.promote(1))).toEqual({ moved: 1, next: undefined })
    const entries = await run(one.read(1, 10))
    expect(entries.map((entry) => entry.delivery.attempts)).toEqual([3])
  })

  it("deletes everything of a webhook that is gone", async () => {
    await run(append.append([delivery(1), delivery(1, 2)]))
    await run(one.delay(1, [{ delayMillis: 0, delivery: delivery(2) }]))
    await run(one.forget(1))
    expect(await client.keys(`${testPrefix}{w1}:*`)).toEqual([])
    expect(ids(await run(one.read(2, 10)))).toEqual([1])
  })
})
