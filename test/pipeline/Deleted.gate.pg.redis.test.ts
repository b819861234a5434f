/** A webhook is deleted while it is owed deliveries: that is no loss, and nothing of it is left. */
import type { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { type Api, startApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { openRedis } from "../support/Redis.ts"

let api: Api
let receiver: Receiver
let redis: Redis
/** The answer to requests of webhooks by name; 200 to others. */
const answers = new Map<string, Promise<number> | number>()

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => answers.get(path.slice(1)) ?? 200)
  api = await startApi({}, { pace: 0.1 })
  redis = await openRedis(api.database)
})

afterAll(async () => {
  await redis.quit()
  await api.stop()
  await receiver.close()
})

const webhook = async (name: string, fields: object = {}): Promise<number> => {
  return api.make("extras/webhooks", {
    name,
    content_types: ["dcim.site"],
    type_create: true,
    payload_url: `${receiver.url}/${name}`,
    conditions: { attr: "slug", op: "regex", value: `^${name}-` },
    max_in_flight: 1,
    retry_schedule: { kind: "fixed", delay: 3600, attempts: 60 },
    ...fields
  })
}

const insertSites = (name: string, from: number, count: number) =>
  api.database.sql.query(
    `insert into dcim_site (name, slug) select '${name} ' || n, '${name}-' || n from generate_series($1::int, $2::int) n`,
    [from, from + count - 1]
  )

const deleteWebhook = async (id: number) =>
  expect((await api.call("DELETE", `/api/extras/webhooks/${id}/`)).status).toBe(204)

const statusesOf = async (id: number) =>
  (
    await api.database.sql.query<{ readonly status: string }>(
      "select distinct status from extras_delivery where webhook_id = $1::bigint order by status",
      [id]
    )
  ).map(({ status }) => status)

const arrivedAt = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`).length

const confirmed = async (): Promise<string> => {
  const [slot] = await api.database.sql.query<{ readonly lsn: string }>(
    "select confirmed_flush_lsn::text as lsn from pg_replication_slots where database = current_database()"
  )
  return slot!.lsn
}

/**
 * Waits for two rounds of the check of unfinished streams: they are as frequent as the heartbeats of capture, each of
 * which is confirmed.
 */
const twoRounds = async () => {
  for (let round = 0; round < 3; round++) {
    const before = await confirmed()
    await eventually("a heartbeat is confirmed", async () => (await confirmed()) !== before)
  }
}

const sessions = () => api.service.output().split("capture: reading from").length - 1

const keysLeft = async (id: number) => {
  const { pace: _, ...keys } = keysOf(id)
  const found = await redis.exists(...Object.values(keys))
  return found + ((await redis.zscore(sweepKeys.marks, `${id}`)) === null ? 0 : 1)
}

describe("a webhook that is deleted", () => {
  it("while its stream holds entries counts as no loss, and the session of capture goes on", async () => {
    let open: (status: number) => void = () => {}
    answers.set("held", new Promise((resolve) => (open = resolve)))
    const id = await webhook("held")
    const other = await webhook("other")
    await insertSites("held", 1, 5)
    await insertSites("other", 1, 1)
    await eventually("all are queued", async () => (await redis.xlen(keysOf(id).queue)) === 5)
    const before = sessions()
    await deleteWebhook(id)
    open(500)
    await eventually("its stream is gone", async () => (await redis.exists(keysOf(id).queue)) === 0)
    await twoRounds()
    await insertSites("other", 2, 1)
    await receiver.untilAll(() => arrivedAt("other") === 2)
    expect(api.service.output()).not.toContain("lost entries")
    expect(sessions()).toBe(before)
    const metrics = await api.raw("GET", "/metrics")
    expect(metrics.text).toContain("rackwire_streams_lost_total 0\n")
    await eventually("nothing of it is left in Redis", async () => (await keysLeft(id)) === 0)
    expect(await statusesOf(other)).toEqual(["successful"])
  })

  it("leaves no delivery unfinished, also none whose attempt was under way", async () => {
    let open: (status: number) => void = () => {}
    answers.set("retried", 500)
    const id = await webhook("retried", { max_in_flight: 5 })
    await insertSites("retried", 1, 3)
    await eventually("three wait", async () => (await redis.zcard(keysOf(id).later)) === 3)
    answers.set("retried", new Promise((resolve) => (open = resolve)))
    await insertSites("retried", 4, 2)
    await receiver.untilAll(() => arrivedAt("retried") === 5)
    await deleteWebhook(id)
    await eventually("those that wait are discarded", async () => (await statusesOf(id)).includes("discarded"))
    open(500)
    await eventually("five rows", async () => {
      const rows = await api.database.sql.query("select 1 from extras_delivery where webhook_id = $1::bigint", [id])
      return rows.length === 5
    })
    await eventually("all are discarded", async () => (await statusesOf(id)).join() === "discarded")
    const rows = await api.database.sql.query(
      "select distinct reason, message, next_attempt from extras_delivery where webhook_id = $1::bigint",
      [id]
    )
    expect(rows).toEqual([{ reason: "Deleted", message: "Its webhook was deleted.", next_attempt: null }])
    await eventually("nothing of it is left in Redis", async () => (await keysLeft(id)) === 0)
    // A retry of a delivery whose webhook is gone.
    const { json } = await api.call<{ results: ReadonlyArray<{ id: number }> }>(
      "GET",
      `/api/extras/deliveries/?webhook_id=${id}&limit=1`
    )
    const retried = await api.call("POST", `/api/extras/deliveries/${json.results[0]!.id}/retry/`)
    expect(retried.status).toBe(400)
    expect(retried.json).toEqual({ webhook: ["The webhook of this delivery was deleted."] })
  })

  it("without a word to the processes that deliver leaves nothing either", async () => {
    answers.set("late", 500)
    const id = await webhook("late")
    await insertSites("late", 1, 2)
    await eventually("one waits", async () => (await redis.zcard(keysOf(id).later)) >= 1)
    const { sql } = api.database
    await sql.query("alter table extras_webhook disable trigger user")
    await sql.query("delete from extras_webhook where id = $1::bigint", [id])
    await sql.query("alter table extras_webhook enable trigger user")
    await redis.zadd(sweepKeys.marks, 0, `${id}`)
    await eventually("its entries are gone", async () => (await keysLeft(id)) === 0)
    await expect.poll(() => statusesOf(id)).toEqual(["discarded"])
  })
})
