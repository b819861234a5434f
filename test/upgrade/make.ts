/**
 * `POSTGRES_BIN=… npm run fixture -- [program]`: runs a release (this one, or its `bin/rackwire.mjs`), fills a small
 * world, and stores its database and its Redis. Postgres and its `pg_dump` have to be of one version, the oldest that
 * the fixture is to be loaded on.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Role } from "../../src/Service.ts"
import { unpack } from "../../src/queue/Entry.ts"
import { keysOf } from "../../src/queue/Keys.ts"
import { makeWorld } from "../support/AnyObject.ts"
import { named, password } from "../support/Client.ts"
import { startProcess } from "../support/Process.ts"
import { openSql } from "../support/Sql.ts"
import { startServers } from "../support/EmbeddedServers.ts"
import { eventually } from "../support/Eventually.ts"
import { writeFixture } from "./Fixture.ts"
import { makeWebhooks, startFixtureReceiver } from "./World.ts"
import { openRedis } from "../support/Redis.ts"

const { POSTGRES_BIN: binaries } = process.env
if (binaries === undefined) throw new Error("set POSTGRES_BIN to the folder of postgres and pg_dump")
const program = resolve(process.argv[2] ?? new URL("../../bin/rackwire.mjs", import.meta.url).pathname)
const { version } = JSON.parse(readFileSync(join(program, "../../package.json"), "utf8")) as {
  readonly version: string
}

const secretKey = "the key of the fixture, of some length"
const token = "fedcba9876543210fedcba9876543210fedcba98"

const directory = mkdtempSync(join(tmpdir(), "rackwire-fixture-"))
const { databaseUrl, redisUrl, stop } = await startServers(directory, { POSTGRES_BIN: binaries })
const environment = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRET_KEY: secretKey }
const start = async (roles?: ReadonlyArray<Role>) => {
  const service = await startProcess(environment, { roles, script: program })
  process.once("exit", () => service.process.kill("SIGKILL"))
  return service
}
const sql = openSql(databaseUrl)
const redis = await openRedis({ sql, redisUrl })
const receiver = await startFixtureReceiver()

/** Waits until the condition holds in the database. */
const holds = (condition: string) =>
  eventually(condition, async () => (await sql.query(`select 1 as one where ${condition}`)).length === 1, {
    millis: 60_000
  })

const sitePath = "/api/dcim/sites/"

// Yesterday: objects of every type, and deliveries that are done.
const first = await start()
await makeWorld(first.call, 1)
await sql.query("update extras_webhook set payload_url = $1, enabled = false", [`${receiver.url}/any`])
await sql.query("delete from extras_webhook where id not in (select webhook_id from extras_delivery)")
const reader = await first.make("users/users", { username: "reader", password })
await first.make("users/tokens", { user: reader, key: token })
const permission = { name: "sites", object_types: ["dcim.site"], actions: ["view"], users: [reader] }
await first.make("users/permissions", permission)
const webhooks = await makeWebhooks(first, receiver.url, reader)
await first.make("extras/tags", named("Day one"))
const site = await first.make("dcim/sites", { ...named("Amsterdam"), description: "1" })
const other = await first.make("dcim/sites", { ...named("Berlin"), description: "1" })
// As from before its constraints, which the next start adds again: no event can be made of it.
for (const { name } of await sql.query<{ readonly name: string }>(
  "select conname::text as name from pg_constraint where conrelid = 'dcim_platform'::regclass and contype = 'c'"
))
  await sql.query(`alter table dcim_platform drop constraint ${name}`)
await sql.query(
  `insert into dcim_platform (name, slug, napalm_args)
   values ('deep', 'deep', (repeat('[', 6000) || repeat(']', 6000))::jsonb)`
)
await sql.query("delete from dcim_platform where slug = 'deep'")
await holds("(select count(*) from rackwire_set_aside) = 2")
const replayed = await first.call("POST", `/api/extras/webhooks/${webhooks.get("sites")}/replay/`, {
  since: "2000-01-01T00:00:00Z"
})
if (replayed.status !== 202) throw new Error(replayed.text)
await holds("exists (select from extras_replay where status = 'done')")
await holds(
  "not exists (select from extras_delivery d join extras_webhook w on w.id = webhook_id where w.enabled and not w.paused and d.status in ('queued', 'sending', 'retrying'))"
)
await first.stop()
for (const table of ["extras_objectchange", "extras_delivery", "rackwire_attempt"]) {
  await sql.query("select rackwire_add_day($1, (now() at time zone 'UTC')::date - 1)::text", [table])
  await sql.query(`update ${table} set time = time - interval '1 day'`)
}

// Today: deliveries that fail, wait for a retry or for another of their object, or are under way when the process dies.
receiver.answers.set("failed", 500).set("later", 500).set("ordered", 500).set("broken", 503).set("hangs", undefined)
const second = await start()
for (const name of ["Two", "Three", "Four", "Five", "Six"]) await second.make("extras/tags", named(name))
for (const description of ["2", "3", "4"]) {
  await second.call("PATCH", `${sitePath}${site}/`, { description })
  await second.call("PATCH", `${sitePath}${other}/`, { description })
}
const unsettled = (name: string, count: number, status: string) =>
  holds(
    `(select count(*) from extras_delivery where webhook_id = ${webhooks.get(name)} and status = '${status}') >= ${count}`
  )
await unsettled("failed", 5, "failed")
await unsettled("later", 5, "retrying")
await unsettled("ordered", 2, "retrying")
await unsettled("sites", 9, "successful")
await holds(`exists (select from rackwire_breaker where webhook_id = ${webhooks.get("broken")})`)
await eventually("parked deliveries", async () => (await redis.zcard(keysOf(webhooks.get("ordered")!).parked)) >= 4)
await second.stop("SIGKILL")

// While nobody delivers: deliveries that are queued only, and one that somebody asked for again.
const third = await start(["api", "capture"])
for (const description of ["5", "6"]) await third.call("PATCH", `${sitePath}${site}/`, { description })
await third.make("extras/tags", named("Seven"))
const [failed] = await sql.query<{ readonly id: string; readonly delivery: string }>(
  "select id::text as id, delivery_id as delivery from extras_delivery where status = 'failed' order by id limit 1"
)
const retried = await third.call("POST", `/api/extras/deliveries/${failed!.id}/retry/`)
if (retried.status >= 300) throw new Error(retried.text)
await eventually("all is queued", async () => (await redis.xlen(keysOf(webhooks.get("sites")!).queue)) >= 2)
await eventually("all is queued", async () => (await redis.xlen(keysOf(webhooks.get("jinja")!).queue)) >= 1)
await third.stop()

/** Deliveries that ended are not sent again, also where the process died before Redis knew. */
const ended = new Set(
  (
    await sql.query<{ readonly id: string }>(
      "select delivery_id as id from extras_delivery where status in ('successful', 'failed', 'discarded')"
    )
  ).map(({ id }) => id)
)

/** Ids of the deliveries of a webhook that are not done: those in Redis, in whatever state. */
const owedOf = async (webhook: number): Promise<ReadonlyArray<string>> => {
  const { queue, again, held } = keysOf(webhook)
  const entries = [...(await redis.xrange(queue, "-", "+")), ...(await redis.xrange(again, "-", "+"))]
  const packed = [...entries.map(([, [, text]]) => text!), ...(await redis.hvals(held))]
  return [...new Set(packed.map((text) => unpack(text).id)).difference(ended)].toSorted()
}
const owed: Record<string, ReadonlyArray<string>> = {}
for (const [name, id] of webhooks) owed[name] = await owedOf(id)
owed["failed"] = [...owed["failed"]!, failed!.delivery].toSorted()
const [{ end } = { end: "" }] = await sql.query<{ readonly end: string }>(
  "select pg_current_wal_insert_lsn()::text as end"
)
const dump = execFileSync(
  join(binaries, "pg_dump"),
  ["--no-owner", "--no-privileges", "--rows-per-insert=100", databaseUrl],
  {
    encoding: "utf8",
    maxBuffer: 1 << 28
  }
)
const dumped: Array<readonly [string, string, number]> = []
for (const key of (await redis.keys("*")).toSorted()) {
  const value = (await redis.dumpBuffer(key))!
  dumped.push([key, value.toString("base64"), Math.max(await redis.pttl(key), 0)])
}
const bytes = writeFixture({
  version,
  // Lines of a backslash are for psql.
  sql: dump.replaceAll(/^\\.*$/gm, ""),
  redis: dumped,
  end,
  secretKey,
  password,
  token,
  receiver: new URL(receiver.url).host,
  owed
})
const counts = Object.entries(owed).map(([name, ids]) => `${name} ${ids.length}`)
console.log(`${version}: ${bytes} bytes; not done: ${counts.join(", ")}`)
receiver.close()
redis.disconnect()
await sql.close()
await stop()
rmSync(directory, { recursive: true, force: true })
