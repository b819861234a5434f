/**
 * Two long objects for many webhooks: each event is stored once, and not once for each webhook. The service runs as a
 * process, because its memory and the waits of others are measured.
 */
import { type Server, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Redis } from "ioredis"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

const webhooks = 400
const objects = 2
const characters = 500_000

/** Memory of Redis for the entries, megabytes: those of all webhooks with the event in each would take 800. */
const redisMax = 20

let api: Api<ServiceProcess>
let bystander: Bystander
let receiver: Server
/** Deliveries that came whole. */
const seen = new Set<unknown>()
let redis: Redis

beforeAll(async () => {
  api = await startApiProcess()
  redis = new Redis(api.database.redisUrl, { protocol: 2 })
  bystander = await Bystander.arrive(api)
  // It keeps only the length of the bodies.
  receiver = createServer(async (request, response) => {
    let length = 0
    for await (const chunk of request as AsyncIterable<Buffer>) length += chunk.length
    if (length > 2 * characters) seen.add(request.headers["x-hook-delivery"])
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  await api.makeAll(
    "extras/webhooks",
    Array.from({ length: webhooks }, (_, n) => ({
      name: `many ${n}`,
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: `http://127.0.0.1:${port}/many`
    }))
  )
})

afterAll(async () => {
  await bystander.leave()
  receiver.close()
  await redis.quit()
  await api.stop()
})

const redisMegabytes = async (): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))![1]) / 1_048_576

it("costs others nothing, and Redis little", async () => {
  const before = await redisMegabytes()
  let most = before
  const watch = setInterval(() => void redisMegabytes().then((now) => (most = Math.max(most, now))), 50)
  const observed = await bystander.during(async () => {
    for (let n = 0; n < objects; n++) {
      const site = { name: `long ${n}`, slug: `long-${n}`, comments: "x".repeat(characters) }
      await api.make("dcim/sites", site)
    }
    await expect.poll(() => seen.size, { timeout: 200_000, interval: 100 }).toBe(webhooks * objects)
  })
  clearInterval(watch)
  expect(most - before).toBeLessThan(redisMax)
  expectCalm(observed)
})
