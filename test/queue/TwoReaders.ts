/** A stream's writer and two readers, as two processes would be, in a real Redis that is empty before each test. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { Redis as Client } from "ioredis"
import { afterAll, beforeAll, beforeEach } from "vitest"
import type { Redis } from "../../src/redis/Redis.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { Append } from "../../src/queue/Append.ts"
import { type Delivery, deliveryId } from "../../src/event/Delivery.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { emptyRedis } from "../support/Database.ts"
import { redisAlone, testPrefix } from "../support/Redis.ts"

export interface TwoReaders {
  readonly append: Append["Service"]
  readonly one: Streams["Service"]
  readonly other: Streams["Service"]
  /** The address of their Redis. */
  readonly url: string
  readonly client: Client
  /** Lives as long as the tests of the file. */
  readonly scope: Scope.Scope
}

/** For the tests of the file; answers what to call for them within a test. */
export const startStreams = (): (() => TwoReaders) => {
  const scope = Effect.runSync(Scope.make())
  let started: TwoReaders

  beforeAll(async () => {
    const url = await emptyRedis()
    const servers = Layer.succeed(Servers, {
      databaseUrl: Redacted.make(""),
      redisUrl: Redacted.make(url),
      secretKey: Redacted.make("none")
    })
    const build = <A, E>(layer: Layer.Layer<A, E, Redis>) =>
      Effect.runPromise(
        Layer.buildWithScope(Layer.fresh(layer.pipe(Layer.provide(redisAlone), Layer.provide(servers))), scope)
      )
    started = {
      append: Context.get(await build(Append.layer), Append),
      one: Context.get(await build(Streams.layer("one")), Streams),
      other: Context.get(await build(Streams.layer("other")), Streams),
      url,
      client: new Client(url, { protocol: 2, keyPrefix: testPrefix }),
      scope
    }
  })

  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await started.client.quit()
  })

  beforeEach(async () => {
    await started.client.flushdb()
    await Effect.runPromise(started.append.open(1, new Map()))
  })

  return () => started
}

export const delivery = (idx: number, webhook = 1): Delivery => ({
  id: deliveryId(webhook, "5000", idx),
  webhook,
  position: "5000",
  idx,
  event: "created",
  objectType: "dcim.site",
  objectId: idx,
  requestId: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
  time: "2026-11-20T12:00:00.000000+00:00",
  attempts: 0,
  spent: 0,
  firstAttempt: 0,
  body: `{"idx":${idx},"text":"line\\nbreak ☃"}`
})
