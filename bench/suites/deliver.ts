/**
 * Signed deliveries of a kilobyte per second to one receiver, from entries that are queued already.
 *
 * The floor is a bare loop that signs and posts the same bytes: no queue, no log, no retry, no deadline.
 */
import { createHmac } from "node:crypto"
import { Redis } from "ioredis"
import { Agent, request } from "undici"
import { deliveryId, pack } from "../../src/stream/Entry.ts"
import { keysOf } from "../../src/stream/Keys.ts"
import { startRackwire } from "../Rackwire.ts"
import { startReceiver } from "../Receiver.ts"
import type { Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"

const deliveries = 10_000
const concurrency = 64
const secret = "bench"

const bodyOf = (idx: number): string =>
  JSON.stringify({
    event: "created",
    timestamp: "2026-11-20T12:00:00.000000+00:00",
    model: "site",
    username: "admin",
    request_id: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
    data: { id: idx, name: `Site ${idx}`, comments: "x".repeat(700) },
    snapshots: { prechange: null, postchange: { name: `Site ${idx}` } }
  })

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const redis = new Redis(rackwire.redisUrl, { protocol: 2 })
  const agent = new Agent({ connections: concurrency })
  const webhook = await rackwire.webhook({
    name: "deliver",
    payload_url: `${receiver.url}/`,
    secret,
    max_in_flight: concurrency,
    enabled: false
  })
  const enable = (enabled: boolean) => rackwire.service.call("PATCH", `/api/extras/webhooks/${webhook}/`, { enabled })

  const queue = async (round: number) => {
    const position = `${(round + 1) * 1_000_000_000}`
    for (let from = 0; from < deliveries; from += 500) {
      const pipeline = redis.pipeline()
      for (let idx = from; idx < from + 500; idx++) {
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
  }

  const post = async (idx: number) => {
    const body = Buffer.from(bodyOf(idx))
    const headers = {
      "content-type": "application/json",
      "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex")
    }
    const { body: answer } = await request(`${receiver.url}/`, { method: "POST", body, headers, dispatcher: agent })
    await answer.dump()
  }

  return {
    title: `${deliveries.toLocaleString("en")} signed deliveries of 1 kB a round, ${concurrency} at a time, durable log on`,
    figures: [{ name: "deliveries", unit: "per second", more: true }],
    rounds: 5,
    contenders: [
      {
        name: "undici loop that signs and posts",
        role: "floor",
        turn: async () => {
          const began = performance.now()
          let next = 0
          const lane = async () => {
            while (next < deliveries) await post(next++)
          }
          await Promise.all(Array.from({ length: concurrency }, lane))
          await receiver.take()
          return { deliveries: deliveries / ((performance.now() - began) / 1000) }
        }
      },
      {
        name: "rackwire, one process",
        role: "ours",
        usage: () => usageOf(rackwire.pid()),
        turn: async (round) => {
          await queue(round)
          const began = performance.timeOrigin + performance.now()
          await enable(true)
          const { last } = await receiver.until(deliveries)
          await enable(false)
          return { deliveries: deliveries / ((last - began) / 1000) }
        }
      }
    ],
    close: async () => {
      await redis.quit()
      await agent.close()
      receiver.close()
      await rackwire.close()
    }
  }
}
