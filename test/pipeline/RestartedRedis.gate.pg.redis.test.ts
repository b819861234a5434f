/** A Redis without an append-only file is killed: lost deliveries are queued again, and finished ones that reappear are not sent again. */
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { incarnationOf } from "../../src/redis/Incarnation.ts"
import { UsualRights } from "../../src/auth/UsualRights.ts"
import { Settings } from "../../src/Config.ts"
import { foundation } from "../../src/pipeline/Foundation.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { Streams } from "../../src/queue/Streams.ts"
import { reconcileWhole } from "../../src/queue/reconcile/Reconcile.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { prefixOf } from "../support/Redis.ts"
import { type RedisProcess, startRedisProcess } from "../support/RedisProcess.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { surroundings } from "../support/Surroundings.ts"
import { thoroughly } from "../support/Seed.ts"

let api: Api
let receiver: Receiver
let redis: RedisProcess

/** The receiver's status by path; a promise delays its requests. */
const answers = new Map<string, number | Promise<number>>()

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => answers.get(path) ?? 200)
  redis = await startRedisProcess()
  api = await startApi({ REDIS_URL: redis.url }, { pace: 0.3 })
  redis.client.options.keyPrefix = await prefixOf(api.database.sql)
})

afterAll(async () => {
  await api.stop()
  await redis.stop()
  await receiver.close()
})

/** A webhook for sites whose slug begins with its name. */
const webhook = (name: string, fields: object = {}): Promise<number> =>
  api.make("extras/webhooks", {
    name,
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: `${receiver.url}/${name}`,
    conditions: { attr: "slug", op: "regex", value: `${name}-` },
    retry_schedule: { kind: "fixed", delay: 1, attempts: 60 },
    ...fields
  })

const insertSites = (name: string, from: number, count: number) =>
  api.database.sql.query(
    `insert into dcim_site (name, slug) select '${name} ' || n, '${name}-' || n from generate_series($1::int, $2::int) n`,
    [from, from + count - 1]
  )

/** How often each site of the webhook arrived, by its number. */
const arrivals = (name: string) => {
  const counts = new Map<number, number>()
  for (const { path, body } of receiver.received) {
    if (path !== `/${name}`) continue
    const { slug } = (JSON.parse(body.toString()) as { readonly data: { readonly slug: string } }).data
    const number = Number(slug.split("-").at(-1))
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  return counts
}

const statusOf = async (id: number, status: string) => {
  const path = `/api/extras/deliveries/?webhook_id=${id}&status=${status}&limit=1`
  return (await api.call<{ count: number }>("GET", path)).json.count
}

const successful = (id: number, count: number) =>
  eventually(`${count} are successful`, async () => (await statusOf(id, "successful")) === count)

/** Waits until all webhooks are reconciled with the Redis that there is. */
const reconciled = async () => {
  const now = await Effect.runPromise(incarnationOf(redis.client))
  await eventually("Redis is reconciled", async () => {
    const rows = await api.database.sql.query<{ incarnation: string }>("select incarnation from rackwire_redis")
    return rows[0]?.incarnation === now
  })
}

/** The numbers from 1 on, each once. */
const once = (count: number) => new Map(Array.from({ length: count }, (_, at) => [at + 1, 1]))

const sorted = (counts: ReadonlyMap<number, number>) => new Map([...counts].toSorted(([a], [b]) => a - b))

describe("a Redis that keeps nothing", () => {
  it("is killed: deliveries that were queued, and ones that waited for a retry, arrive", async () => {
    const queued = await webhook("queued", { max_in_flight: 1 })
    const delayed = await webhook("delayed", { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } })
    let open: (status: number) => void = () => {}
    answers.set("/queued", new Promise((resolve) => (open = resolve)))
    answers.set("/delayed", 503)
    await insertSites("queued", 1, 20)
    await insertSites("delayed", 1, 3)
    await eventually("they are queued", async () => (await redis.client.xlen(keysOf(queued).queue)) === 20)
    await eventually("they wait", async () => (await redis.client.zcard(keysOf(delayed).later)) === 3)
    await redis.restart()
    answers.delete("/queued")
    answers.delete("/delayed")
    open(200)
    await successful(queued, 20)
    await eventually("they wait again", async () => (await redis.client.zcard(keysOf(delayed).later)) === 3)
    // Not before they are due.
    expect(sorted(arrivals("delayed"))).toEqual(once(3))
  })
})

thoroughly("a Redis that reverts to a snapshot", () => {
  it("sends nothing again that has ended since, and loses nothing that began since", async () => {
    const ended = await webhook("ended")
    const retried = await webhook("retried")
    let open: (status: number) => void = () => {}
    const held = new Promise<number>((resolve) => (open = resolve))
    answers.set("/ended", held)
    answers.set("/retried", 503)
    await insertSites("ended", 1, 20)
    await insertSites("retried", 1, 5)
    await eventually("all are under way", async () => (await redis.client.xlen(keysOf(ended).queue)) === 20)
    await eventually("they wait", async () => (await redis.client.zcard(keysOf(retried).later)) === 5)
    await redis.client.save()
    answers.delete("/ended")
    answers.delete("/retried")
    open(200)
    await Promise.all([successful(ended, 20), successful(retried, 5)])
    const attempts = receiver.received.length
    await insertSites("ended", 21, 5)
    await successful(ended, 25)
    await redis.restart()
    await reconciled()
    // They follow anything that a webhook would send again.
    await insertSites("ended", 26, 1)
    await insertSites("retried", 6, 1)
    await Promise.all([successful(ended, 26), successful(retried, 6)])
    expect(sorted(arrivals("ended"))).toEqual(once(26))
    expect(receiver.received.length).toBe(attempts + 5 + 2)
  })
})

/** Retries the only delivery of a webhook by hand. */
const retry = async (id: number) => {
  const { json } = await api.call<{ results: ReadonlyArray<{ id: number }> }>(
    ...(["GET", `/api/extras/deliveries/?webhook_id=${id}`] as const)
  )
  await api.call("POST", `/api/extras/deliveries/${json.results[0]!.id}/retry/`)
}

thoroughly("a Redis that reverts to a snapshot, of a delivery that waits for an hour,", () => {
  const hour = { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } }
  const waiting = (id: number) => redis.client.zcard(keysOf(id).later)

  it("drops it where it has ended since, and delays it again where it began since", async () => {
    const ended = await webhook("ending", hour)
    const begun = await webhook("beginning", { retry_schedule: { kind: "fixed", delay: 1, attempts: 1 } })
    for (const name of ["ending", "beginning"]) {
      answers.set(`/${name}`, 503)
      await insertSites(name, 1, 1)
    }
    await eventually("one waits", async () => (await waiting(ended)) === 1)
    await eventually("one has failed", async () => (await statusOf(begun, "failed")) === 1)
    await redis.client.save()
    await api.call("PATCH", `/api/extras/webhooks/${begun}/`, hour)
    await retry(begun)
    await eventually("it waits", async () => (await waiting(begun)) === 1)
    answers.delete("/ending")
    await retry(ended)
    await successful(ended, 1)
    await redis.restart()
    await reconciled()
    expect([await waiting(ended), await waiting(begun)]).toEqual([0, 1])
  })
})

describe("a delivery that waits and is missing in Redis", () => {
  /** Reconciles the webhook; `beforeFound` runs where its deliveries have been searched. */
  const reconcileWith = (id: number, beforeFound: () => Promise<unknown>) => {
    const searching = Layer.effect(
      Streams,
      Effect.map(Streams, (streams) =>
        Streams.of({
          ...streams,
          missing: (...sought) => Effect.tap(streams.missing(...sought), () => Effect.promise(beforeFound))
        })
      )
    ).pipe(Layer.provide(Streams.layer("a test")))
    const environment = { ...environmentOf(api.database), REDIS_URL: redis.url }
    return reconcileWhole(id).pipe(
      Effect.provide(searching.pipe(Layer.provideMerge(Layer.mergeAll(foundation, UsualRights.layer)))),
      Effect.provide(Settings.layer),
      Effect.provide(surroundings(environment, 0.3).layer),
      Effect.runPromise
    )
  }

  it("is queued again, unless it ends while it is searched", async () => {
    const hour = { retry_schedule: { kind: "fixed", delay: 3600, attempts: 5 } }
    const id = await webhook("searched", hour)
    answers.set("/searched", 503)
    await insertSites("searched", 1, 1)
    const waiting = () => redis.client.zcard(keysOf(id).later)
    const loseIt = () => redis.client.del(keysOf(id).later, keysOf(id).held)
    await eventually("it waits", async () => (await waiting()) === 1)
    await loseIt()
    await reconcileWith(id, async () => {})
    expect(await waiting()).toBe(1)
    await loseIt()
    const end = "update extras_delivery set status = 'successful', attempts = 2, next_attempt = null"
    await reconcileWith(id, () => api.database.sql.query(`${end} where webhook_id = $1`, [id]))
    expect(await waiting()).toBe(0)
  })
})

describe("a Redis that may evict deliveries", () => {
  it("is a problem of the readiness when it is set so", async () => {
    const reply = async () => (await fetch(`${api.service.url}/health/ready`)).json()
    await redis.client.config("SET", "maxmemory-policy", "allkeys-lru")
    await expect
      .poll(reply)
      .toMatchObject({ problems: [expect.stringMatching(/^Redis may evict deliveries: .*allkeys-lru/)] })
    await redis.client.config("SET", "maxmemory-policy", "noeviction")
    await expect.poll(reply).toMatchObject({ status: "ready" })
  })

  it("refuses the start", async () => {
    await redis.client.config("SET", "maxmemory-policy", "allkeys-lru")
    const start = startApi({ REDIS_URL: redis.url })
    await expect(start).rejects.toThrow(/REDIS_URL: Redis may evict deliveries/)
    await redis.client.config("SET", "maxmemory-policy", "noeviction")
  })
})
