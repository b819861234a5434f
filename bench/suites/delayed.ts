/**
 * A million deliveries that wait for a retry: what each costs in Redis, and how late those are that fall due.
 *
 * All wait in one webhook, which is the hardest case: one sorted set, one hash. Almost all are due in an hour. Some
 * fall due at a steady rate meanwhile; their lateness is the time until they reach the receiver.
 */
import type { Redis } from "ioredis"
import { deliveryId } from "../../src/event/Delivery.ts"
import { pack } from "../../src/queue/Entry.ts"
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { startReceiver } from "../Receiver.ts"
import { bodyOf } from "../QueuedDeliveries.ts"
import { startRackwire } from "../Rackwire.ts"
import { type Sample, type Suite, quantile } from "../Suite.ts"
import { usageOf } from "../Usage.ts"
import { openRedis } from "../../test/support/Redis.ts"

const waiting = 1_000_000
const batchSize = 1000

/** Deliveries that fall due in a round, how many of them a second, and how long after the round's start the first. */
const dueCount = 1000
const duePerSecond = 50
const leadMillis = 2000

const hour = 3_600_000

const now = (): number => performance.timeOrigin + performance.now()

/** Delays a delivery as a retry is delayed. */
const held = (webhook: number, position: string, idx: number, body: string): string =>
  pack({
    ...{ id: deliveryId(webhook, position, idx), webhook, position, idx, event: "created", objectType: "dcim.site" },
    ...{ objectId: idx, requestId: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e", time: new Date(now()).toISOString() },
    ...{ attempts: 1, spent: 1, firstAttempt: now(), body }
  })

const memoryOf = async (redis: Redis): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1])

/** Returns the bytes that each takes. */
const fill = async (redis: Redis, webhook: number): Promise<number> => {
  const { later, held: contents } = keysOf(webhook)
  const before = await memoryOf(redis)
  for (let from = 0; from < waiting; from += batchSize) {
    const due = now() + hour
    const idxs = Array.from({ length: batchSize }, (_, n) => from + n)
    const ids = idxs.map((idx) => deliveryId(webhook, "1", idx))
    await redis
      .pipeline()
      .zadd(later, ...ids.flatMap((id, at) => [due + at, id]))
      .hset(contents, ...ids.flatMap((id, at) => [id, held(webhook, "1", idxs[at]!, bodyOf(idxs[at]!))]))
      .exec()
  }
  return ((await memoryOf(redis)) - before) / waiting
}

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const redis = await openRedis(rackwire)
  const webhook = await rackwire.webhook({ name: "delayed", payload_url: `${receiver.url}/timed` })
  const bytes = await fill(redis, webhook)
  const { later, held: contents } = keysOf(webhook)

  const turn = async (round: number): Promise<Sample> => {
    await receiver.take()
    const began = now() + leadMillis
    const pipeline = redis.pipeline()
    for (let idx = 0; idx < dueCount; idx++) {
      const due = Math.ceil(began + (idx * 1000) / duePerSecond)
      const position = `${round + 2}`
      // The receiver takes the time in the body for the one from which it counts.
      const body = JSON.stringify({ ...JSON.parse(bodyOf(idx)), timestamp: new Date(due).toISOString() })
      pipeline.hset(contents, deliveryId(webhook, position, idx), held(webhook, position, idx, body))
      pipeline.zadd(later, due, deliveryId(webhook, position, idx))
    }
    await pipeline.exec()
    await redis.zadd(sweepKeys.marks, 0, `${webhook}`)
    // Whoever puts a delivery aside knows when it is due; here the next look tells.
    const { latencies } = await receiver.untilTimed(dueCount)
    const settled = latencies.slice(dueCount / 2)
    return {
      "median lateness": quantile(settled, 0.5),
      "99th percentile": quantile(settled, 0.99),
      "largest lateness": Math.max(...settled),
      "memory per delivery in Redis": bytes
    }
  }

  return {
    title: `${waiting.toLocaleString("en")} deliveries wait; ${duePerSecond} a second fall due`,
    figures: [
      { name: "median lateness", unit: "ms", more: false },
      { name: "99th percentile", unit: "ms", more: false },
      { name: "largest lateness", unit: "ms", more: false },
      { name: "memory per delivery in Redis", unit: "bytes", more: false }
    ],
    rounds: 3,
    contenders: [{ name: "rackwire", role: "ours", usage: () => usageOf(rackwire.pid()), turn }],
    close: async () => {
      redis.disconnect()
      receiver.close()
      await rackwire.close()
    }
  }
}
