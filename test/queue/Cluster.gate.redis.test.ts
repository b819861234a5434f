/** Everything that is done to streams, in a real cluster of three servers that many webhooks are spread over. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Redis as Client } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Redis } from "../../src/redis/Redis.ts"
import { redisFacts } from "../../src/redis/Suitability.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { Append } from "../../src/queue/Append.ts"
import type { Entry } from "../../src/queue/Entry.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { eventually } from "../support/Eventually.ts"
import { type RedisCluster, hasRedisCluster, startRedisCluster } from "../support/RedisCluster.ts"
import { delivery } from "./TwoReaders.ts"
import { redisAlone, testPrefix } from "../support/Redis.ts"

const run = Effect.runPromise
const webhooks = Array.from({ length: 30 }, (_, n) => n + 1)

describe.runIf(hasRedisCluster)("a cluster", () => {
  const scope = Effect.runSync(Scope.make())
  let cluster: RedisCluster
  let client: Client
  let append: Append["Service"]
  let one: Streams["Service"]
  let other: Streams["Service"]

  beforeAll(async () => {
    cluster = await startRedisCluster()
    const servers = Layer.succeed(Servers, {
      databaseUrl: Redacted.make(""),
      redisUrl: Redacted.make(cluster.url),
      secretKey: Redacted.make("none")
    })
    const build = <A, E>(layer: Layer.Layer<A, E, Redis>) =>
      run(Layer.buildWithScope(Layer.fresh(layer.pipe(Layer.provide(redisAlone), Layer.provide(servers))), scope))
    const redis = redisAlone.pipe(Layer.provide(servers))
    client = Context.get(await run(Layer.buildWithScope(Layer.fresh(redis), scope)), Redis).client
    append = Context.get(await build(Append.layer), Append)
    one = Context.get(await build(Streams.layer("one")), Streams)
    other = Context.get(await build(Streams.layer("other")), Streams)
    await run(append.open(1, new Map()))
  })

  afterAll(async () => {
    await run(Scope.close(scope, Exit.void))
    await cluster.stop()
  })

  const each = async <A>(act: (webhook: number) => Promise<A>) => Promise.all(webhooks.map(act))
  const ids = (entries: ReadonlyArray<Entry>) => entries.map(({ delivery }) => delivery.idx)

  it("names the commands that its user may not run", async () => {
    expect((await run(redisFacts(client))).refused).toEqual([])
    const onEachNode = async (right: string) => {
      for (const port of cluster.ports) {
        const node = new Client({ port, host: "127.0.0.1", protocol: 2 })
        await node.call("ACL", "SETUSER", "default", right)
        await node.quit()
      }
    }
    await onEachNode("-xautoclaim")
    try {
      expect((await run(redisFacts(client))).refused).toEqual(["XAUTOCLAIM"])
    } finally {
      await onEachNode("+xautoclaim")
    }
  })

  it("appends deliveries of many webhooks in one call, and spreads webhooks over its nodes", async () => {
    const heard = new Set<number>()
    await run(
      Scope.provide(
        other.onWake((webhook) => void heard.add(webhook)),
        scope
      )
    )
    const appended = await run(
      append.append(webhooks.flatMap((webhook) => [1, 2, 3].map((idx) => delivery(idx, webhook))))
    )
    expect([appended.duplicates, appended.tops.size]).toEqual([0, webhooks.length])
    for (const port of cluster.ports) {
      const node = new Client({ port, host: "127.0.0.1", protocol: 2 })
      expect(await node.keys(`${testPrefix}{w*}:queue`)).not.toEqual([])
      await node.quit()
    }
    expect((await run(append.verify(webhooks))).lost).toEqual([])
    // A message published before the subscription exists is lost; a repeated one is received.
    await eventually("an announcement is heard", async () => {
      await run(one.announce(7))
      return heard.size > 0
    })
    expect(heard).toContain(7)
  })

  it("gives each entry to one reader, and keeps, hands back, claims and settles entries", async () => {
    await each(async (webhook) => {
      const mine = await run(one.read(webhook, 2))
      const theirs = await run(other.read(webhook, 10))
      expect([ids(mine), ids(theirs)]).toEqual([[1, 2], [3]])
      expect(await run(one.keep(webhook, [...mine, ...theirs]))).toEqual(theirs)
      await run(one.handBack(webhook, mine))
      const taken = await run(other.reclaim(webhook))
      expect(ids(taken)).toEqual([1, 2])
      const [first, second] = taken
      const later = { delayMillis: 60_000, delivery: { ...first!.delivery, attempts: 1, spent: 1 } }
      await run(other.settle(webhook, [{ entry: first!, later }, { entry: second! }, { entry: theirs[0]! }]))
      expect(await run(one.depth(webhook))).toEqual({ queued: 0, pending: 0, waiting: 1 })
      expect((await run(one.heads([webhook]))).get(webhook)).toBeUndefined()
    })
  })

  it("delays, promotes, inspects, drops and gathers deliveries", async () => {
    const { marked } = await run(one.sweep)
    expect(marked.length).toBe(webhooks.length)
    const inspected = await each(async (webhook) => {
      const [inspection] = await run(one.inspect([webhook]))
      expect(inspection).toMatchObject({ queued: 0, pending: 0, waiting: 1, stranded: false })
      return { webhook, mark: marked.find((one) => one.webhook === webhook)!.mark, inspection: inspection! }
    })
    await run(one.reschedule(inspected))
    await each(async (webhook) => {
      await run(one.delay(webhook, [{ delayMillis: 0, delivery: delivery(5, webhook) }]))
      expect((await run(one.promote(webhook))).moved).toBe(1)
      await run(one.drop(webhook, [{ id: delivery(1, webhook).id, object: "dcim.site 1" }]))
      await run(one.delay(webhook, [{ delayMillis: 60_000, delivery: delivery(6, webhook) }]))
      await run(one.gather(webhook))
      const found = await run(one.browse(webhook, "again", "-", 10))
      expect(ids(found)).toEqual([5, 6])
      await run(one.remove(webhook, found))
      expect(await run(one.claimStranded(webhook))).toEqual([])
      // A Redis that answers late is requested again, behind the two slots of the first request: a millisecond each.
      expect(await run(one.reserve(webhook, 2, 1000))).toBeLessThanOrEqual(2)
    })
  })

  it("keeps circuit breakers and lets one process probe", async () => {
    await each(async (webhook) => {
      await run(one.openBreaker({ webhook, openMillis: 60_000, openings: 2 }))
      expect(await run(other.breakerOf(webhook))).toMatchObject({ openings: 2 })
      expect(await run(other.beginProbe(webhook, 1000))).toBeGreaterThan(50_000)
      await run(one.probeNow(webhook))
      expect(await run(one.beginProbe(webhook, 60_000))).toBe(0)
      expect(await run(other.beginProbe(webhook, 60_000))).toBeGreaterThan(50_000)
      await run(one.endProbe(webhook))
      expect(await run(other.beginProbe(webhook, 60_000))).toBe(0)
      await run(one.closeBreaker(webhook))
      expect(await run(other.breakerOf(webhook))).toMatchObject({ openMillis: 0, openings: 0 })
    })
  })

  it("keeps the order within an object, and refills a stream that lost entries", async () => {
    await run(
      append.append(webhooks.flatMap((webhook) => [7, 8].map((idx) => ({ ...delivery(idx, webhook), objectId: 1 }))))
    )
    await each(async (webhook) => {
      const [first] = await run(one.read(webhook, 10, true))
      expect(await run(other.read(webhook, 10, true))).toEqual([])
      await run(one.settle(webhook, [{ entry: first! }]))
      expect(ids(await run(other.read(webhook, 10, true)))).toEqual([8])
      await run(one.forget(webhook))
    })
    expect((await run(append.verify(webhooks))).lost).toEqual(webhooks)
    await each((webhook) => run(append.restore(webhook, { owed: [delivery(9, webhook)], after: "", isLast: true })))
    expect((await run(append.verify(webhooks))).lost).toEqual([])
    await each(async (webhook) => expect(ids(await run(one.read(webhook, 10)))).toEqual([9]))
  })
})
