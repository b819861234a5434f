/** Redis loses data; the unfinished deliveries of each webhook are queued again. */
import type { Redis } from "ioredis"
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { runs, thorough } from "../support/Seed.ts"
import { openRedis } from "../support/Redis.ts"

let api: Api
let receiver: Receiver
let redis: Redis
/** The receiver answers when this does. */
let gate: Promise<number> | number = 200
let open: (status: number) => void = () => {}
/** One of so many requests succeeds whatever the gate says. */
let successEvery = Number.POSITIVE_INFINITY
let requests = 0

/** The receiver answers no request until `open` is called. */
const close = () => {
  gate = new Promise((resolve) => (open = resolve))
}

beforeAll(async () => {
  receiver = await startReceiver(() => (++requests % successEvery === 0 ? 200 : gate))
  api = await startApi({}, { pace: 0.3 })
  redis = await openRedis(api.database)
})

// Neither a test that fails nor the answers of one may reach the tests after it.
afterEach(() => {
  open(200)
  gate = 200
  successEvery = Number.POSITIVE_INFINITY
})

afterAll(async () => {
  await redis.quit()
  await api.stop()
  await receiver.close()
})

const insertSites = (name: string, from: number, count: number) =>
  api.database.sql.query(
    `insert into dcim_site (name, slug) select '${name} ' || n, '${name}-' || n from generate_series($1::int, $2::int) n`,
    [from, from + count - 1]
  )

const idsAt = (name: string) =>
  new Set(receiver.received.filter(({ path }) => path === `/${name}`).map(({ headers }) => headers["x-hook-delivery"]))

/** Slugs of which the receiver has said 200. */
const slugsAt = (name: string) =>
  new Set(
    receiver.received
      .filter(({ path, body }) => path === `/${name}` && body.length > 0)
      .map(({ body }) => (JSON.parse(body.toString()) as { readonly data: { readonly slug: string } }).data.slug)
  )

/** A webhook that attempts one delivery at a time, so that the others are in its stream. */
const webhook = async (name: string, fields: object = {}): Promise<number> => {
  return api.make("extras/webhooks", {
    name,
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: `${receiver.url}/${name}`,
    conditions: { attr: "slug", op: "regex", value: `${name}-` },
    max_in_flight: 1,
    enabled: true,
    retry_schedule: { kind: "fixed", delay: 1, attempts: 60 },
    ...fields
  })
}

/** Waits until the stream holds this many entries. */
const queued = (id: number, count: number) => atLeast(count, "entries", () => redis.xlen(keysOf(id).queue))

/** Waits until this many deliveries wait for their next attempt. */
const waiting = (id: number, count: number) => atLeast(count, "waiting ones", () => redis.zcard(keysOf(id).later))

const atLeast = (count: number, what: string, ask: () => Promise<number>): Promise<number> =>
  eventually(`${count} ${what}`, async () => {
    const found = await ask()
    return found >= count && found
  })

/**
 * Lets entries gather in the stream behind a receiver that does not answer, does harm to Redis, adds more, and expects
 * that each arrives, under one id.
 */
const expectAllAfter = async (name: string, harm: (id: number) => Promise<unknown>) => {
  const id = await webhook(name)
  await insertSites(name, 1, 5)
  expect(await untilSuccessful(id, 5)).toBe(5)
  close()
  await insertSites(name, 6, 20)
  await queued(id, 20)
  await receiver.untilAll(() => slugsAt(name).size === 6)
  await harm(id)
  await insertSites(name, 26, 5)
  open(200)
  expect(await untilSuccessful(id, 30)).toBe(30)
  expect([slugsAt(name).size, idsAt(name).size]).toEqual([30, 30])
}

/** Rows of this log that were read so far; each process tells Postgres' statistics of its own once a second. */
const rowsRead = async (log: "extras_objectchange" | "extras_delivery"): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, 2500))
  const [row] = await api.database.sql.query<{ readonly count: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count
       from pg_stat_user_tables where relname like $1 || '%'`,
    [log]
  )
  return row!.count
}

/** Waits until this many deliveries were successful, and returns how many were. */
const untilSuccessful = (id: number, count: number): Promise<number> =>
  atLeast(count, "successful ones", async () => {
    const path = `/api/extras/deliveries/?webhook_id=${id}&status=successful&limit=1`
    return (await api.call<{ count: number }>("GET", path)).json.count
  })

describe("when Redis loses", () => {
  it("the stream alone, deliveries that are due for a retry are sent once", async () => {
    const id = await webhook("due")
    gate = 503
    await insertSites("due", 1, 5)
    await waiting(id, 5)
    close()
    const before = receiver.received.length
    await atLeast(5, "due ones", () => redis.xlen(keysOf(id).again))
    await redis.del(keysOf(id).queue)
    await insertSites("due", 6, 3)
    await queued(id, 3)
    open(200)
    expect(await untilSuccessful(id, 8)).toBe(8)
    await eventually("nothing waits", async () => {
      const { later, again, queue } = keysOf(id)
      return (await redis.zcard(later)) + (await redis.xlen(again)) + (await redis.xlen(queue)) === 0
    })
    const attempts = receiver.received.slice(before).filter(({ path }) => path === "/due")
    expect([attempts.length, idsAt("due").size]).toEqual([8, 8])
  })

  it("everything, a webhook with a scope is owed what its user may view", async () => {
    const user = await makeUser(api, "scoped", {
      types: ["dcim.site"],
      actions: ["view"],
      constraints: { facility: "ours" }
    })
    const id = await webhook("scoped", { scope_user: user.id })
    close()
    await api.database.sql.query(
      `insert into dcim_site (name, slug, facility)
       select 'Scoped ' || n, 'scoped-' || n, case when n % 2 = 0 then 'ours' else 'theirs' end from generate_series(1, 10) n`
    )
    await queued(id, 5)
    await receiver.untilAll(() => slugsAt("scoped").size === 1)
    await redis.flushdb()
    await api.database.sql.query("insert into dcim_site (name, slug, facility) values ('Scoped x', 'scoped-x', 'ours')")
    open(200)
    expect(await untilSuccessful(id, 6)).toBe(6)
    expect(slugsAt("scoped")).toEqual(
      new Set(["scoped-2", "scoped-4", "scoped-6", "scoped-8", "scoped-10", "scoped-x"])
    )
  })

  it("everything, every unfinished delivery arrives", () => expectAllAfter("flushed", () => redis.flushdb()))

  thorough("everything, each event that is owed is read from the change log about once", async () => {
    close()
    const id = await webhook("many")
    onTestFinished(async () => void (await api.call("PATCH", `/api/extras/webhooks/${id}/`, { enabled: false })))
    // Postgres knows of the few events so far, and plans for few.
    await api.database.sql.query("analyze extras_objectchange")
    const count = runs(3000)
    await insertSites("many", 1, count)
    await queued(id, count)
    const before = await rowsRead("extras_objectchange")
    await redis.flushdb()
    await insertSites("many", count + 1, 1)
    await queued(id, count + 1)
    expect((await rowsRead("extras_objectchange")) - before).toBeLessThan(3 * count)
  })

  it("a stream, every unfinished delivery arrives", () => expectAllAfter("stream", (id) => redis.del(keysOf(id).queue)))

  it("a consumer group, every unfinished delivery arrives", () =>
    expectAllAfter("group", (id) => redis.xgroup("DESTROY", keysOf(id).queue, "deliver")))

  it("everything, unfinished deliveries arrive even if no further event occurs", async () => {
    const id = await webhook("quiet")
    close()
    await insertSites("quiet", 1, 10)
    await queued(id, 10)
    await receiver.untilAll(() => slugsAt("quiet").size === 1)
    await redis.flushdb()
    open(200)
    expect(await untilSuccessful(id, 10)).toBe(10)
    expect(idsAt("quiet").size).toBe(10)
  })

  it("the entry of an attempt that is in the log, deliveries parked behind it arrive", async () => {
    const id = await webhook("behind", { ordering: "object", max_in_flight: 5, type_update: true })
    await insertSites("behind", 1, 1)
    expect(await untilSuccessful(id, 1)).toBe(1)
    close()
    await insertSites("behind", 2, 1)
    await api.database.sql.query(`update dcim_site set slug = 'behind-parked' where slug = 'behind-2'`)
    await atLeast(1, "parked", () => redis.zcard(keysOf(id).parked))
    // The row that the process with the first entry writes before it settles the entry.
    await api.database.sql.query(
      `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                      position, idx, attempts)
         select $1::bigint || '-' || position || '-' || idx, $1::bigint, 'successful', 'created', 'dcim.site',
                changed_object_id, request_id, time, position, idx, 1
           from extras_objectchange where $1::bigint || '-' || position || '-' || idx = any ($2::text[])`,
      [id, await redis.hvals(keysOf(id).blocked)]
    )
    await redis.del(keysOf(id).queue)
    await insertSites("behind", 3, 1)
    await receiver.untilAll(() => slugsAt("behind").has("behind-3"))
    open(200)
    await receiver.untilAll(() => slugsAt("behind").has("behind-parked"))
  })

  thorough("more waiting deliveries than one read takes, all of them wait again", async () => {
    const count = 1100
    gate = 500
    // With little but failures the breaker would let only a few be attempted.
    successEvery = 2
    const id = await webhook("waiting", {
      max_in_flight: 100,
      retry_schedule: { kind: "fixed", delay: 3600, attempts: 2 }
    })
    await insertSites("waiting", 1, count * successEvery)
    await waiting(id, count)
    await redis.flushdb()
    expect(await waiting(id, count)).toBe(count)
  })

  thorough("everything, no delivery that waits is read for each page of them", async () => {
    const id = await webhook("held")
    await insertSites("held", 1, 1)
    expect(await untilSuccessful(id, 1)).toBe(1)
    // Postgres knows of the few deliveries so far, and plans for few.
    await api.database.sql.query("analyze extras_delivery")
    const count = runs(6000)
    await insertSites("other", 1, count)
    await eventually("the changes are logged", async () => {
      const [row] = await api.database.sql.query<{ readonly count: number }>(
        "select count(*)::int as count from extras_objectchange where data ->> 'slug' like 'other-%'"
      )
      return row!.count === count
    })
    await api.database.sql.query(
      `insert into extras_delivery (delivery_id, webhook_id, status, event, object_type, object_id, request_id, time,
                                    position, idx, attempts, next_attempt)
       select $1::bigint || '-' || position || '-' || idx, $1::bigint, 'retrying', 'created', 'dcim.site',
              changed_object_id, request_id, time, position, idx, 1, now() + interval '1 hour'
         from extras_objectchange where data ->> 'slug' like 'other-%'`,
      [id]
    )
    const before = await rowsRead("extras_delivery")
    await redis.flushdb()
    await insertSites("held", 2, 1)
    expect(await waiting(id, count)).toBe(count)
    // Sums of the status read them too, several times a second. With a sort for each page it was 137 times.
    expect((await rowsRead("extras_delivery")) - before).toBeLessThan(60 * count)
  })
})
