/**
 * Signed deliveries of a kilobyte per second to one receiver, from entries that are already queued.
 *
 * The floor is a bare loop that signs and posts the same bytes: no queue, no log, no retry, no deadline. Peers are what
 * people would build: a BullMQ worker without a log, the same with a row for each delivery and attempt in Postgres, and a
 * graphile-worker, whose queue is in Postgres.
 */
import { type ChildProcess, fork } from "node:child_process"
import { createHmac } from "node:crypto"
import { fileURLToPath } from "node:url"
import type { Redis } from "ioredis"
import { Agent, request } from "undici"
import { startProcess } from "../../test/support/Process.ts"
import { installPeers } from "../Peers.ts"
import { bodyOf, queueDeliveries } from "../QueuedDeliveries.ts"
import { type Rackwire, startRackwire } from "../Rackwire.ts"
import { type BenchReceiver, startReceiver } from "../Receiver.ts"
import type { Contender, Suite } from "../Suite.ts"
import { usageOf } from "../Usage.ts"
import { openRedis } from "../../test/support/Redis.ts"

const deliveries = 10_000
/** Before the turn of several processes, for each that starts for it: the code of other contenders is warm by then. */
const warmUpDeliveries = 10_000
const concurrency = 64
const batchSize = 100
const secret = "bench"

const bareLoop = (receiver: BenchReceiver, agent: Agent): Contender => {
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
  }
}

const now = (): number => performance.timeOrigin + performance.now()

const peer = (name: string, rackwire: Rackwire, receiver: BenchReceiver, worker: ChildProcess): Contender => ({
  name,
  role: "peer",
  usage: () => usageOf(worker.pid!),
  parts: () => partsOf(rackwire, receiver, { worker: usageOf(worker.pid!).cpuSeconds }),
  turn: async () => {
    worker.send({ queue: Array.from({ length: deliveries }, (_, idx) => bodyOf(idx)) })
    await new Promise((resolve) => worker.once("message", resolve))
    const began = now()
    worker.send("go")
    const { last } = await receiver.until(deliveries)
    return { deliveries: deliveries / ((last - began) / 1000) }
  }
})

const startPeer = async (file: string, store: string, receiver: BenchReceiver, more: ReadonlyArray<string> = []) => {
  installPeers()
  const program = fileURLToPath(new URL(`../peers/${file}`, import.meta.url))
  const worker = fork(program, [store, `${receiver.url}/`, secret, `${concurrency}`, ...more])
  await new Promise((resolve) => worker.once("message", resolve))
  return worker
}

/** CPU seconds of what works for the deliveries beside the contender's own processes. */
const partsOf = (rackwire: Rackwire, receiver: BenchReceiver, own: Readonly<Record<string, number>>) => {
  const { Postgres, Redis } = rackwire.cpu()
  return { ...own, Postgres, Redis, receiver: usageOf(receiver.pid).cpuSeconds }
}

/** How many turns have queued deliveries for us so far. */
let queued = 0

/** This many delivering processes: the one with all roles, and others. With a size, each request is such a batch. */
const ours = (
  rackwire: Rackwire,
  receiver: BenchReceiver,
  redis: Redis,
  webhook: number,
  processes: number,
  size?: number
): Contender => ({
  name: `rackwire, ${processes} ${processes === 1 ? "process" : "processes"}${size === undefined ? "" : `, batches of ${size}`}`,
  role: "ours",
  usage: () => usageOf(rackwire.pid()),
  // The other processes end with the turn.
  ...(processes === 1 && { parts: () => partsOf(rackwire, receiver, { rackwire: rackwire.cpu().rackwire }) }),
  turn: async () => {
    const set = (fields: object) => rackwire.service.call("PATCH", `/api/extras/webhooks/${webhook}/`, fields)
    const batch = size === undefined ? null : { size, seconds: 0 }
    await set({ max_in_flight: Math.ceil(concurrency / processes), batch })
    const environment = {
      DATABASE_URL: rackwire.databaseUrl,
      REDIS_URL: rackwire.redisUrl,
      SECRET_KEY: rackwire.secretKey,
      LOG_LEVEL: "Warn"
    }
    const start = () => startProcess(environment, { roles: ["deliver"] })
    const others = await Promise.all(Array.from({ length: processes - 1 }, start))
    const deliver = async (count: number) => {
      await queueDeliveries(redis, webhook, queued++, count)
      const began = now()
      await set({ enabled: true })
      const { last } = await receiver.until(count)
      await set({ enabled: false })
      return count / ((last - began) / 1000)
    }
    if (others.length > 0) await deliver(warmUpDeliveries * others.length)
    const rate = await deliver(deliveries)
    await Promise.all(others.map(({ stop }) => stop()))
    return { deliveries: rate }
  }
})

export default async (): Promise<Suite> => {
  const rackwire = await startRackwire()
  const receiver = await startReceiver()
  const redis = await openRedis(rackwire)
  const agent = new Agent({ connections: concurrency })
  const logged = await rackwire.makeDatabase("bench_bullmq")
  const jobs = await rackwire.makeDatabase("bench_graphile")
  const bullMq = await startPeer("bullmq.mjs", rackwire.redisUrl, receiver)
  const bullMqLogged = await startPeer("bullmq.mjs", rackwire.redisUrl, receiver, [logged])
  const graphile = await startPeer("graphile.mjs", jobs, receiver, ["queued"])
  const url = `${receiver.url}/`
  const webhook = await rackwire.webhook({ name: "deliver", payload_url: url, secret, enabled: false })
  return {
    title: `${deliveries.toLocaleString("en")} signed deliveries of 1 kB a round, ${concurrency} at a time; ours with a durable log`,
    figures: [{ name: "deliveries", unit: "per second", more: true }],
    rounds: 5,
    warmUps: 4,
    contenders: [
      bareLoop(receiver, agent),
      peer("BullMQ worker, no log", rackwire, receiver, bullMq),
      peer("BullMQ worker, two rows in Postgres", rackwire, receiver, bullMqLogged),
      peer("graphile-worker, no log", rackwire, receiver, graphile),
      ...[1, 2, 4].map((processes) => ours(rackwire, receiver, redis, webhook, processes)),
      ours(rackwire, receiver, redis, webhook, 1, batchSize)
    ],
    close: async () => {
      for (const worker of [bullMq, bullMqLogged, graphile]) worker.disconnect()
      await redis.quit()
      await agent.close()
      receiver.close()
      await rackwire.close()
    }
  }
}
