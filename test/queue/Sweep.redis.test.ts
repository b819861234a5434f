/** The marks of webhooks in a real Redis. */
import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { beforeEach, describe, expect, it } from "vitest"
import type { Append } from "../../src/queue/Append.ts"
import { sweepKeys } from "../../src/queue/Keys.ts"
import type { Streams } from "../../src/queue/Streams.ts"
import { delivery, startStreams } from "./TwoReaders.ts"

const run = Effect.runPromise
const streams = startStreams()
let append: Append["Service"]
let one: Streams["Service"]
let client: Client

beforeEach(() => ({ append, one, client } = streams()))

describe("the sweep", () => {
  const sweep = async () => {
    const { marked } = await run(one.sweep)
    const inspected = marked.map(async (each) => ({
      ...each,
      inspection: (await run(one.inspect([each.webhook])))[0]!
    }))
    await run(one.reschedule(await Promise.all(inspected)))
    return marked.map(({ webhook }) => webhook)
  }

  it("forgets a webhook that has nothing in Redis until something is queued for it", async () => {
    await run(append.append([delivery(1)]))
    const entries = await run(one.read(1, 10))
    expect(await sweep()).toEqual([1])
    expect(await client.zscore(sweepKeys.marks, "1")).not.toBeNull()
    await run(one.settle(1, [{ entry: entries[0]! }]))
    await client.zadd(sweepKeys.marks, 0, "1")
    expect(await sweep()).toEqual([1])
    expect(await client.zscore(sweepKeys.marks, "1")).toBeNull()
    await run(append.append([delivery(2)]))
    expect(await sweep()).toEqual([1])
  })
})
