/**
 * Connections that stay open and carry nothing any more, as when a cloud moves a server: one test per kind. Each kind is
 * frozen by a proxy, and the next delivery is made over a new connection. Method: a pace at which the deadline is 3 s, and
 * no assertion about time.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { announceChannel } from "../../src/postgres/Messages.ts"
import { type Service, startService } from "../support/Service.ts"
import { environmentOf } from "../support/Api.ts"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { FreezingProxy } from "../support/FreezingProxy.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

const pace = 0.2

/** Time for a delivery, milliseconds: many times the deadline at this pace, and less than any limit that has no pace. */
const patienceMillis = 28_000

let database: TestDatabase
let postgres: FreezingProxy
let redis: FreezingProxy
let receiver: Receiver
let service: Service
let made = 0

const portOf = (url: string): number => Number(new URL(url).port)

beforeAll(async () => {
  database = await makeDatabase()
  postgres = await FreezingProxy.start(portOf(database.databaseUrl))
  redis = await FreezingProxy.start(portOf(database.redisUrl))
  receiver = await startReceiver()
  const urls = {
    DATABASE_URL: postgres.addressOf(database.databaseUrl),
    REDIS_URL: redis.addressOf(database.redisUrl)
  }
  service = await startService({ ...environmentOf(database), ...urls }, { pace })
  await service.make("extras/webhooks", {
    ...{ name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
  })
  await delivered()
})

afterAll(async () => {
  await service.stop()
  await Promise.all([postgres.close(), redis.close(), receiver.close()])
  await database.drop()
})

/** Makes a site, on a connection of its own, and waits for its delivery. */
const delivered = async () => {
  const name = `site-${++made}`
  await database.sql.query("insert into dcim_site (name, slug) values ($1, $1)", [name])
  const arrived = () => receiver.received.some(({ body }) => body.includes(`"name":"${name}"`))
  await eventually(`the delivery of ${name}`, arrived, { millis: patienceMillis }).catch((error: Error) => {
    throw new Error(`${error.message}\n${service.output()}`)
  })
}

const logged = () =>
  eventually(
    "every delivery is logged",
    async () => {
      const [row] = await database.sql.query<{ count: number }>(
        "select count(*)::int as count from extras_delivery where status = 'successful'"
      )
      return row!.count === made
    },
    { millis: patienceMillis }
  )

describe("a connection that carries nothing any more", { timeout: 90_000 }, () => {
  it.each([
    ["a walsender", "replication\0database"],
    ["LISTEN", `LISTEN "${announceChannel}"`],
    ["a pool", "application_name\0rackwire "],
    ["presence", "insert into rackwire_process"]
  ])("to Postgres is replaced: %s", async (_, text) => {
    await delivered()
    expect(postgres.freeze(text)).toBeGreaterThan(0)
    await delivered()
    await logged()
    await eventually("another connection", () => postgres.count(text) > 0, { millis: patienceMillis })
    const frozenAt = (await database.sql.query<{ now: string }>("select now()::text as now"))[0]!.now
    await eventually(
      "the process writes its status again",
      async () =>
        (await database.sql.query("select 1 as one from rackwire_process where seen > $1::timestamptz", [frozenAt]))
          .length > 0,
      { millis: patienceMillis }
    )
  })

  it.each([
    ["of commands and leases", "XREADGROUP"],
    ["of a subscriber", "subscribe"]
  ])("to Redis is replaced: one %s", async (_, text) => {
    await delivered()
    expect(redis.freeze(text)).toBeGreaterThan(0)
    await delivered()
    await logged()
    await eventually("another connection", () => redis.count(text) > 0, { millis: patienceMillis })
  })
})

it("a slow statement that runs is not cut", { timeout: 90_000 }, async () => {
  await delivered()
  await logged()
  const before = service.output().split("no answer from Postgres").length
  const { opened } = postgres
  // Several times the silence after which a connection is probed.
  const held = database.superuser.transaction(
    "lock table extras_delivery in access exclusive mode",
    "select pg_sleep(8)::text"
  )
  await delivered()
  await held
  expect(postgres.opened).toBeGreaterThan(opened)
  await logged()
  expect(service.output().split("no answer from Postgres").length).toBe(before)
})

it("a migration whose connection carries nothing any more is made on another one", { timeout: 90_000 }, async () => {
  const empty = await makeEmptyDatabase()
  const proxy = await FreezingProxy.start(portOf(empty.databaseUrl))
  proxy.freezeAt("pg_advisory_xact_lock")
  const urls = { DATABASE_URL: proxy.addressOf(empty.databaseUrl) }
  const other = await startService({ ...environmentOf(empty), ...urls }, { roles: ["api"], pace })
  expect(proxy.isArmed).toBe(false)
  await other.stop()
  await proxy.close()
  await empty.drop()
})
