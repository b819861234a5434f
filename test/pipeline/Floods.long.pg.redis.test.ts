/**
 * A user whose webhooks are owed very many deliveries of one request, and what others commit behind it. The service runs as
 * a process, which is killed while something is owed.
 */
import type { Redis } from "ioredis"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { keysOf } from "../../src/queue/Keys.ts"
import { makeUser } from "../auth/Users.ts"
import { type Api, environmentOf, startApiProcess } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { captured } from "../support/CaughtUp.ts"
import { eventually } from "../support/Eventually.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { openRedis } from "../support/Redis.ts"

const webhooks = 30
const objects = 80

let api: Api<ServiceProcess>
let service: ServiceProcess
let redis: Redis
let many: ReadonlyArray<number>
let one: number

beforeAll(async () => {
  api = await startApiProcess({}, { pace: 0.3 })
  service = api.service
  redis = await openRedis(api.database)
  // Entries stay in their streams.
  await api.call("POST", "/api/core/sending/pause/")
  const seeing = { types: ["dcim.site"], actions: ["view"] }
  const users = [await makeUser(api, "many", seeing), await makeUser(api, "one", seeing)]
  many = await Promise.all(Array.from({ length: webhooks }, (_, n) => webhook(`many ${n}`, users[0]!.id)))
  one = await webhook("one", users[1]!.id)
})

afterAll(async () => {
  await redis.quit()
  await service.stop()
  await api.stop()
})

const webhook = async (name: string, user: number): Promise<number> => {
  return api.make("extras/webhooks", {
    ...{ name, content_types: ["dcim.site"], type_create: true, payload_url: "http://127.0.0.1:9/", scope_user: user },
    conditions: { attr: "name", op: "regex", value: name === "one" ? "^One" : "^Many" }
  })
}

const create = (names: ReadonlyArray<string>) => service.makeAll("dcim/sites", names.map(named))

const flood = (name: string) => Array.from({ length: objects }, (_, n) => `Many ${name} ${n}`)

/** Names of the objects whose events the webhook's stream holds, in its order. */
const namesOf = async (id: number): Promise<ReadonlyArray<string>> => {
  const entries = await redis.xrange(keysOf(id).queue, "-", "+")
  return entries.map(([, [, text]]) => {
    const body = text!.slice(text!.indexOf("\n") + 1)
    return (JSON.parse(body) as { readonly data: { readonly name: string } }).data.name
  })
}

/** Waits until nothing is left to a flood. */
const caughtUpFlood = () =>
  eventually("no flood is owed", async () => {
    const rows = await api.database.sql.query(
      `select 1 as one from rackwire_watermark
        where (flood_after_position, flood_after_idx) < (flood_until_position, flood_until_idx)`
    )
    return rows.length === 0
  })

/** Waits until what has been committed so far is confirmed: it will not be read again. */
const confirmed = async () => {
  const { superuser, slot } = api.database
  const [end] = await superuser.query<{ lsn: string }>(
    "select pg_logical_emit_message(true, 'rackwire:test', '')::text, pg_current_wal_insert_lsn()::text as lsn"
  )
  const query = "select 1 as one from pg_replication_slots where slot_name = $1 and confirmed_flush_lsn >= $2::pg_lsn"
  await eventually("it is confirmed", async () => (await superuser.query(query, [slot, end!.lsn])).length > 0)
}

const holds = (id: number, last: string): Promise<unknown> =>
  eventually(`webhook ${id} is owed ${last}`, async () => (await namesOf(id)).includes(last))

/**
 * Keeps floods from being queued until the returned function is called: they read how webhooks were at the time. Capture
 * writes into the same table when it reads that a webhook was changed, so it has read all changes before.
 */
const holdFloods = async (): Promise<() => Promise<void>> => {
  await captured(api.database)
  const sql = openSql(api.database.databaseUrl)
  await sql.query("begin")
  await sql.query("lock table rackwire_webhook_version in access exclusive mode")
  const letGo = async () => {
    await sql.query("rollback").catch(() => {})
    await sql.close()
  }
  onTestFinished(letGo)
  return letGo
}

/** Every webhook of the user is owed what its stream holds, and nothing else. */
const expectAll = async (names: ReadonlyArray<string>) => {
  for (const id of many) await holds(id, names.at(-1)!)
  for (const id of many) expect(await namesOf(id)).toEqual(names)
}

it("what others commit is queued before it, and the user's own next changes behind it", async () => {
  const letGo = await holdFloods()
  await create(flood("a"))
  await create(["One a"])
  await create(["Many a last"])
  await create(["One b"])
  await holds(one, "One b")
  expect(await Promise.all(many.map((id) => redis.xlen(keysOf(id).queue)))).toEqual(many.map(() => 0))
  await letGo()
  await expectAll([...flood("a"), "Many a last"])
  await caughtUpFlood()
  await create(["Many b"])
  await expectAll([...flood("a"), "Many a last", "Many b"])
  expect(await namesOf(one)).toEqual(["One a", "One b"])
})

it("what is no flood is queued with its batch", async () => {
  const letGo = await holdFloods()
  const names = ["Many little 1", "Many little 2"]
  await create(names)
  for (const id of many) {
    await holds(id, names[1]!)
    expect((await namesOf(id)).slice(-2)).toEqual(names)
  }
  await letGo()
})

it("a killed process leaves it to the next one, and nothing is queued twice", async () => {
  const before = await namesOf(many[0]!)
  const letGo = await holdFloods()
  await create(flood("c"))
  await create(["One c"])
  await holds(one, "One c")
  await confirmed()
  await service.stop("SIGKILL")
  expect(await namesOf(many[0]!)).toEqual(before)
  await letGo()
  service = await startProcess(environmentOf(api.database), { pace: 0.3 })
  await create(["Many d"])
  await expectAll([...before, ...flood("c"), "Many d"])
  expect((await namesOf(one)).at(-1)).toBe("One c")
  expect(service.output()).not.toContain("lost entries")
})

it("a webhook that is changed behind it fires for what it was then", async () => {
  const [changed, ...others] = many
  const before = await namesOf(changed!)
  const letGo = await holdFloods()
  await create(flood("e"))
  const change = { conditions: { attr: "name", value: "Many f 1" } }
  expect((await service.call("PATCH", `/api/extras/webhooks/${changed}/`, change)).status).toBe(200)
  await create(flood("f"))
  await letGo()
  for (const id of others) await holds(id, flood("f").at(-1)!)
  await holds(changed!, "Many f 1")
  await caughtUpFlood()
  expect(await namesOf(changed!)).toEqual([...before, ...flood("e"), "Many f 1"])
  expect(await namesOf(others[0]!)).toEqual([...before, ...flood("e"), ...flood("f")])
})

it("Redis loses everything while it waits, and it is owed all the same", async () => {
  const before = await namesOf(many[1]!)
  const letGo = await holdFloods()
  await create(flood("g"))
  await create(["One g"])
  await holds(one, "One g")
  await confirmed()
  await redis.flushdb()
  await letGo()
  await create(["Many h"])
  for (const id of many.slice(1)) {
    await holds(id, "Many h")
    expect(await namesOf(id)).toEqual([...before, ...flood("g"), "Many h"])
  }
})
