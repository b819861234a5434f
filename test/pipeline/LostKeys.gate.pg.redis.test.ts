/** Redis loses single keys of a webhook; every delivery arrives all the same, and those of an object in order. */
import type { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keysOf, sweepKeys } from "../../src/queue/Keys.ts"
import { type Api, startApi } from "../support/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"
import { openRedis } from "../support/Redis.ts"
import { fewOf } from "../support/Seed.ts"

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
    type_update: true,
    payload_url: `${receiver.url}/${name}`,
    conditions: { attr: "slug", op: "regex", value: `^${name}-` },
    retry_schedule: { kind: "fixed", delay: 4, attempts: 60 },
    ...fields
  })
}

const sql = (statement: string, parameters: ReadonlyArray<unknown> = []) =>
  api.database.sql.query<Record<string, unknown>>(statement, parameters)

const insertSites = (name: string, count: number) =>
  sql(`insert into dcim_site (name, slug) select '${name} ' || n, '${name}-' || n from generate_series(1, $1::int) n`, [
    count
  ])

const updateSites = (name: string, description: string) =>
  sql(`update dcim_site set description = $1 where slug like '${name}-%'`, [description])

/** Descriptions that the webhook's receiver accepted, by object, in the order in which they came. */
const acceptedBy = (name: string) => {
  const all = receiver.received
    .filter(({ path }) => path === `/${name}`)
    .map(({ body }) => (JSON.parse(body.toString()) as { data: { id: number; description: string } }).data)
  return new Map([...Map.groupBy(all, ({ id }) => id)].map(([id, each]) => [id, each.map((one) => one.description)]))
}

const allSuccessful = (id: number, count: number) =>
  eventually(
    `${count} successful deliveries of webhook ${id}`,
    async () => {
      const [row] = await sql(
        `select count(*) filter (where status = 'successful')::int as done, count(*)::int as rows
           from extras_delivery where webhook_id = $1::bigint`,
        [id]
      )
      return row!["done"] === count && row!["rows"] === count
    },
    { everyMillis: 200 }
  )

/** Reads the next entry of the webhook's queue as a process that died; false if our own process reads it before. */
const readAsDead = async (id: number, change: number): Promise<boolean> => {
  const { queue } = keysOf(id)
  let isRead = false
  await eventually(`change ${change} of webhook ${id} is read`, async () => {
    isRead = (await redis.xreadgroup("GROUP", "deliver", "dead", "STREAMS", queue, ">")) !== null
    const [held] = await redis.xpending(queue, "deliver")
    return isRead || Number(held) > 0 || receiver.received.filter(({ path }) => path === "/marks").length > change
  })
  return isRead
}

describe("when a webhook's key is lost", () => {
  it.concurrent.each(fewOf(["later", "held"] as const, 1, "delayed"))("%s: delayed deliveries arrive", async (key) => {
    const name = `delayed-${key}`
    answers.set(name, 500)
    const id = await webhook(name)
    await insertSites(name, 5)
    await eventually("all are delayed", async () => (await redis.zcard(keysOf(id).later)) === 5)
    await redis.del(keysOf(id)[key])
    answers.set(name, 200)
    await allSuccessful(id, 5)
    expect(acceptedBy(name).size).toBe(5)
  })

  it.concurrent("again: deliveries that are due arrive", async () => {
    answers.set("due", 500)
    const id = await webhook("due")
    await insertSites("due", 5)
    const { later, again } = keysOf(id)
    await eventually("all are delayed", async () => (await redis.zcard(later)) === 5)
    await sql("update extras_webhook set max_in_flight = 1 where id = $1::bigint", [id])
    let open: (status: number) => void = () => {}
    answers.set("due", new Promise((resolve) => (open = resolve)))
    // One of them is attempted meanwhile.
    await eventually("all are due", async () => (await redis.xlen(again)) === 5)
    await redis.del(again)
    answers.set("due", 200)
    open(500)
    await allSuccessful(id, 5)
    expect(acceptedBy("due").size).toBe(5)
  })

  it.concurrent("blocked, while an attempt is under way: those behind it arrive after it", async () => {
    let open: (status: number) => void = () => {}
    answers.set("behind", new Promise((resolve) => (open = resolve)))
    const id = await webhook("behind", { ordering: "object" })
    await insertSites("behind", 2)
    await updateSites("behind", "first")
    await updateSites("behind", "second")
    await eventually("four are parked", async () => (await redis.zcard(keysOf(id).parked)) === 4)
    await redis.del(keysOf(id).blocked)
    await eventually("both are named again", async () => (await redis.hlen(keysOf(id).blocked)) === 2)
    await updateSites("behind", "third")
    answers.set("behind", 200)
    open(200)
    await allSuccessful(id, 8)
    for (const [, descriptions] of acceptedBy("behind")) expect(descriptions).toEqual(["", "first", "second", "third"])
  })

  it.concurrent.each(fewOf(["held", "blocked", "parked", "unattempted", "later", "again"] as const, 1, "ordered"))(
    "%s: parked deliveries arrive, and those of an object in order",
    async (key) => {
      const name = `ordered-${key}`
      answers.set(name, 500)
      const id = await webhook(name, { ordering: "object" })
      await insertSites(name, 3)
      await eventually("three wait", async () => (await redis.zcard(keysOf(id).later)) === 3)
      for (const description of ["first", "second", "third"]) await updateSites(name, description)
      await eventually("nine are parked", async () => (await redis.zcard(keysOf(id).parked)) === 9)
      const from = receiver.received.length
      expect(from).toBeGreaterThan(0)
      await redis.del(keysOf(id)[key])
      answers.set(name, 200)
      await allSuccessful(id, 12)
      for (const [, descriptions] of acceptedBy(name)) {
        const order = descriptions.filter((one, at) => one !== descriptions[at - 1])
        expect(order).toEqual(["", "first", "second", "third"])
      }
    }
  )

  it.concurrent("the marks of the sweep: an entry of a paused webhook, whose process died, arrives", async () => {
    const id = await webhook("marks")
    await insertSites("marks", 1)
    await allSuccessful(id, 1)
    await sql("update extras_webhook set paused = true where id = $1::bigint", [id])
    const changes: Array<string> = []
    do {
      changes.push(`change ${changes.length + 1}`)
      await updateSites("marks", changes.at(-1)!)
      // Until its actor ends, our own process may read before the one that dies.
    } while (!(await readAsDead(id, changes.length)))
    await redis.del(sweepKeys.marks)
    await eventually("the sweep misses its marks", async () => (await redis.zscore(sweepKeys.marks, "0")) !== null)
    await sql("update extras_webhook set paused = false where id = $1::bigint", [id])
    await allSuccessful(id, 1 + changes.length)
    expect(new Set([...acceptedBy("marks").values()].flat())).toEqual(new Set(["", ...changes]))
  })
})
