/** Two long objects for many webhooks: Redis stores each event once, and not once for each webhook. */
import { createHash } from "node:crypto"
import { Redis } from "ioredis"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const webhooks = 20
const objects = 2
const characters = 512_000

let api: Api
let receiver: Receiver
let redis: Redis
/** Answers are held back until every delivery was sent. */
const release = Promise.withResolvers<void>()

beforeAll(async () => {
  receiver = await startReceiver(() => release.promise.then(() => 200))
  api = await startApi()
  redis = new Redis(api.database.redisUrl, { protocol: 2 })
  await api.makeAll(
    "extras/webhooks",
    Array.from({ length: webhooks }, (_, n) => ({
      name: `many ${n}`,
      content_types: ["dcim.site"],
      type_create: true,
      payload_url: receiver.url
    }))
  )
})

afterAll(async () => {
  release.resolve()
  await redis.quit()
  await api.stop()
  await receiver.close()
})

/** A text that takes half of its length however well it is compressed. */
const incompressible = Array.from({ length: characters / 64 }, (_, n) =>
  createHash("sha256").update(`${n}`).digest("hex")
).join("")

/** The bytes of all keys of the service. */
const storedBytes = async (): Promise<number> => {
  const keys = await redis.keys("*")
  const sizes = await Promise.all(keys.map((key) => redis.memory("USAGE", key, "SAMPLES", 0)))
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

it("are stored once while all their deliveries wait for an answer, and arrive whole", async () => {
  for (let n = 0; n < objects; n++) {
    const site = { name: `long ${n}`, slug: `long-${n}`, comments: incompressible }
    await api.make("dcim/sites", site)
  }
  // Deliveries of one webhook to one object follow each other; those of two objects do not.
  await receiver.untilAll((all) => all.length >= webhooks * objects)
  const [{ body }] = receiver.received as [(typeof receiver.received)[0]]
  expect(body.length).toBeGreaterThan(2 * characters)
  // Entries name their event: forty of them took 174 kB, and one event takes a megabyte.
  expect(await storedBytes()).toBeLessThan(objects * characters)
  release.resolve()
  expect(receiver.received.filter(({ body }) => body.length > 2 * characters)).toHaveLength(webhooks * objects)
})
