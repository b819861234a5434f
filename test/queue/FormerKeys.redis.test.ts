/** Keys with their former names in a real Redis: the leader moves them, while processes write under the former names. */
import { Effect } from "effect"
import { Redis as Client } from "ioredis"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Delivery } from "../../src/event/Delivery.ts"
import { type Entry, pack } from "../../src/queue/Entry.ts"
import { group, keysOf } from "../../src/queue/Keys.ts"
import { formerPrefix, moveFormerKeys } from "../../src/queue/reconcile/FormerKeys.ts"
import { delay, urge } from "../../src/queue/Waiting.ts"
import { testPrefix } from "../support/Redis.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const run = Effect.runPromise
const streams = startStreams()
/** Gives keys in full. */
let bare: Client
/** Writes under the former names. */
let former: Client

beforeEach(() => {
  bare = new Client(streams().url, { protocol: 2 })
  former = new Client(streams().url, { protocol: 2, keyPrefix: formerPrefix })
})

afterEach(() => {
  bare.disconnect()
  former.disconnect()
})

const move = () => moveFormerKeys(bare, testPrefix, [1])

const delayed = (delivery: Delivery) => ({ delayMillis: 0, delivery: { ...delivery, attempts: 1 } })

const leaseMillis = 60_000

const ids = (entries: ReadonlyArray<Entry>) => entries.map((entry) => entry.delivery.idx)

/** Moves a queue of one delivery from its former name. */
const moveQueue = async () => {
  await former.xadd(keysOf(1).queue, "5000-1", "d", pack(delivery(1)))
  expect(await move()).toBe(1)
}

/** The deliveries that can be read after those that are due were promoted. */
const readable = async () => {
  const { one } = streams()
  await run(one.promote(1))
  return ids(await run(one.read(1, 10))).toSorted()
}

describe("keys that were moved while processes wrote", () => {
  it("get the deliveries that were delayed or urged meanwhile, and no former name is left", async () => {
    await moveQueue()
    await delay(former, 1, [delayed(delivery(2))], false)
    await urge(former, 1, [delivery(3)], leaseMillis)
    await former.xadd(keysOf(1).again, "*", "d", pack(delivery(4)))
    expect(await move()).toBeGreaterThan(0)
    expect(await bare.keys(`${formerPrefix}{w1}*`)).toEqual([])
    expect(await readable()).toEqual([1, 2, 3, 4])
  })

  it("keep when a delayed delivery is due, and one that is delayed again already", async () => {
    const { one, client } = streams()
    await moveQueue()
    await delay(former, 1, [{ ...delayed(delivery(2)), delayMillis: 60_000 }, delayed(delivery(3))], false)
    const due = await former.zscore(keysOf(1).later, delivery(2).id)
    await run(one.delay(1, [{ ...delayed(delivery(3)), delayMillis: 60_000 }]))
    const dueAgain = await client.zscore(keysOf(1).later, delivery(3).id)
    await move()
    const { later } = keysOf(1)
    expect(await client.zmscore(later, delivery(2).id, delivery(3).id)).toEqual([due, dueAgain])
    expect(await readable()).toEqual([1])
  })

  it("park deliveries whose object another one blocks, and release them in their order", async () => {
    const { one } = streams()
    const [first, second, third] = [1, 2, 3].map((idx) => ({ ...delivery(idx), objectId: 7 }))
    await run(one.delay(1, [delayed(first!)], true))
    await delay(former, 1, [delayed(second!)], true)
    await delay(former, 1, [delayed(third!)], true)
    await move()
    await run(one.promote(1, true))
    for (const idx of [1, 2, 3]) {
      const entries = await run(one.read(1, 10, true))
      expect(ids(entries)).toEqual([idx])
      await run(
        one.settle(
          1,
          entries.map((entry) => ({ entry }))
        )
      )
    }
  })

  it("leave an entry out that a process works on: its attempt ends under the names of today", async () => {
    await moveQueue()
    await urge(former, 1, [delivery(2), delivery(3)], leaseMillis)
    await former.xgroup("CREATE", keysOf(1).urgent, group, "0")
    await former.xreadgroup("GROUP", group, "one", "COUNT", 1, "STREAMS", keysOf(1).urgent, ">")
    await move()
    expect(await readable()).toEqual([1, 3])
  })

  it("make the sweep inspect the webhook", async () => {
    const { one } = streams()
    await moveQueue()
    await run(one.sweep)
    await delay(former, 1, [delayed(delivery(2))], false)
    await move()
    expect((await run(one.sweep)).marked.map(({ webhook }) => webhook)).toEqual([1])
  })
})
