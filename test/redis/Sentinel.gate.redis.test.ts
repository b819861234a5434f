/** A connection whose primary is named by Sentinels. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { open } from "../../src/redis/Connection.ts"
import { redisAddressOf } from "../../src/redis/RedisUrl.ts"
import { eventually } from "../support/Eventually.ts"
import { hasRedisCluster } from "../support/RedisCluster.ts"
import { type Sentinels, startSentinels } from "../support/Sentinels.ts"

const options = {
  protocol: 2,
  lazyConnect: true,
  maxRetriesPerRequest: 1,
  connectTimeout: 1000,
  retryStrategy: () => 50
} as const

describe.runIf(hasRedisCluster)("behind Sentinels", () => {
  let sentinels: Sentinels
  beforeAll(async () => {
    sentinels = await startSentinels()
  })
  afterAll(() => sentinels.stop())

  it("a primary with another name is not found", async () => {
    const client = open(redisAddressOf(sentinels.url(0, "rackwire-2")), options)
    await expect(client.ping()).rejects.toThrow('The Sentinels have no primary "rackwire-2".')
    client.disconnect()
  })

  it("commands reach the primary, and after its end the promoted one", async () => {
    const client = open(redisAddressOf(sentinels.url(1)), options)
    await client.set("key", "before")
    const [first, second] = sentinels.servers
    // Sentinels close every connection of a promoted server. ioredis sends a command that waits for the new connection
    // to the database of its options, and selects the one of SELECT afterwards.
    const [atFirst, atSecond] = [first.client.duplicate({ db: 1 }), second.client.duplicate({ db: 1 })]
    for (const each of [atFirst, atSecond]) each.on("error", () => {})
    expect(await atFirst.get("key")).toBe("before")
    await eventually("it is replicated", async () => (await atSecond.get("key")) === "before")
    first.process.kill("SIGKILL")
    await eventually("a write succeeds", () => client.set("key", "after").catch(() => undefined))
    expect(await atSecond.get("key")).toBe("after")
    for (const each of [atFirst, atSecond]) each.disconnect()
    client.disconnect()
  })
})
