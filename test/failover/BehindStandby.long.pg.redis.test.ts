/**
 * A standby that lacks the last commits is promoted by force: changes after it have ids that no lost one had, though the
 * queue in Redis is ahead of the database. A process, as it is run.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { named } from "../support/Client.ts"
import { emptyRedis } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type PostgresPair, hasFailoverSlots, startPostgresPair } from "../support/PostgresPair.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let pair: PostgresPair
let receiver: Receiver
let service: ServiceProcess

beforeAll(async () => {
  pair = await startPostgresPair()
  receiver = await startReceiver()
  service = await startProcess({
    DATABASE_URL: pair.urlAt(`127.0.0.1:${pair.primaryPort},127.0.0.1:${pair.standbyPort}`),
    REDIS_URL: await emptyRedis(),
    SECRET_KEY: "a key for tests, of sufficient length"
  })
})

afterAll(async () => {
  await service?.stop()
  await receiver?.close()
  await pair?.stop()
})

const idsOf = new Map<string, string>()

/** Creates sites and notes the id of each delivery. */
const create = async (name: string) => {
  for (let n = 0; n < 20; n++) {
    const site = named(`${name}-${n}`)
    await eventually(
      `${site.slug} is created`,
      async () => (await service.call("POST", "/api/dcim/sites/", site).catch(() => undefined))?.status === 201
    )
    const { headers } = await receiver.until(({ body }) => body.includes(`"slug":"${site.slug}"`), site.slug)
    idsOf.set(site.slug, String(headers["x-hook-delivery"]))
  }
}

it.runIf(hasFailoverSlots)("uses no id of a lost change", { timeout: 400_000 }, async () => {
  await service.make("extras/webhooks", {
    ...{ name: "sites", content_types: ["dcim.site"], type_create: true, payload_url: receiver.url }
  })
  await create("kept")
  const synced = "select 1 as one from pg_replication_slots where slot_name = 'rackwire' and synced and not temporary"
  await eventually("the standby has the slot", async () => (await pair.standby.query(synced)).length > 0, {
    millis: 120_000,
    everyMillis: 200
  })
  // From now on nothing reaches the standby, and the primary does not wait for it.
  for (const name of ["synchronous_standby_names", "synchronized_standby_slots"]) {
    await pair.primary.query(`alter system reset ${name}`)
  }
  await pair.primary.query("select pg_reload_conf()")
  await pair.primary.query("alter role current_user password 'another'")
  await pair.primary.query(
    "select pg_terminate_backend(pid)::text from pg_stat_replication where application_name = 'walreceiver'"
  )
  await eventually(
    "the standby receives nothing",
    async () => (await pair.standby.query("select 1 as one from pg_stat_wal_receiver")).length === 0
  )
  await create("lost")
  await pair.failOver()
  await create("after")
  const lost = await service.call<{ count: number }>("GET", "/api/dcim/sites/?slug__isw=lost")
  expect(lost.json.count).toBe(0)
  const ids = [...idsOf.values()]
  expect([ids.length, new Set(ids).size]).toEqual([60, 60])
  expect(receiver.received.length).toBe(60)
})
