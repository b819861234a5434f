/** Appends deliveries to a webhook's stream as capture would, so that only delivering is measured. */
import type { Redis } from "ioredis"
import { deliveryId } from "../src/event/Delivery.ts"
import { pack } from "../src/queue/Entry.ts"
import { channelsOf, keysOf } from "../src/queue/Keys.ts"

/** A kilobyte, as the default body is. */
export const bodyOf = (idx: number): string =>
  JSON.stringify({
    event: "created",
    timestamp: "2026-11-20T12:00:00.000000+00:00",
    model: "site",
    username: "admin",
    request_id: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
    data: { id: idx, name: `Site ${idx}`, comments: "x".repeat(700) },
    snapshots: { prechange: null, postchange: { name: `Site ${idx}` } }
  })

/** Deliveries per pipeline. */
const batchSize = 500

/** Queues this many deliveries, under positions of this round. */
export const queueDeliveries = async (redis: Redis, webhook: number, round: number, count: number): Promise<void> => {
  const position = `${(round + 1) * 1_000_000_000}`
  for (let from = 0; from < count; from += batchSize) {
    const pipeline = redis.pipeline()
    for (let idx = from; idx < Math.min(from + batchSize, count); idx++) {
      const entry = pack({
        id: deliveryId(webhook, position, idx),
        webhook,
        position,
        idx,
        event: "created",
        objectType: "dcim.site",
        objectId: idx,
        requestId: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
        time: "2026-11-20T12:00:00.000000+00:00",
        attempts: 0,
        spent: 0,
        firstAttempt: 0,
        body: bodyOf(idx)
      })
      pipeline.xadd(keysOf(webhook).queue, `${position}-${idx}`, "d", entry)
    }
    await pipeline.exec()
  }
  await redis.publish(channelsOf(redis).wake, `${webhook}`)
}
