/** A walsender whose client is silent is ended if it waits, and left alone while it works. */
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { endIdleSender } from "../../src/capture/slot/IdleSender.ts"
import { Walsender } from "../../src/capture/wal/Walsender.ts"
import { Servers } from "../../src/embedded/Servers.ts"
import { addressOf } from "../../src/postgres/PostgresUrl.ts"
import { type TestDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"

let database: TestDatabase

beforeAll(async () => {
  database = await makeEmptyDatabase()
  await database.sql.query("create publication nothing")
  await database.sql.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [database.slot])
})

afterAll(() => database.drop())

const end = (pid: number) => {
  const servers = Servers.of({
    databaseUrl: Redacted.make(database.databaseUrl),
    redisUrl: Redacted.make(""),
    secretKey: Redacted.make("")
  })
  return Effect.runPromise(endIdleSender(pid).pipe(Effect.provide(Layer.succeed(Servers, servers))))
}

const walsender = async () => {
  const walsender = await Walsender.connect(addressOf(database.databaseUrl))
  const [[pid] = []] = await walsender.query("select pg_backend_pid()")
  return { walsender, pid: Number(pid) }
}

it("is ended while it waits for WAL, which frees the slot", async () => {
  const { walsender: waiting, pid } = await walsender()
  const publication = "(proto_version '1', publication_names 'nothing')"
  const ended = new Promise<Error>((resolve) => {
    const ignore = () => {}
    const handler = { onData: ignore, onKeepalive: ignore, onChunkEnd: ignore, onEnd: resolve }
    void waiting.stream(`START_REPLICATION SLOT ${database.slot} LOGICAL 0/0 ${publication}`, handler)
  })
  await eventually("it streams and waits", async () => {
    const waits = "select 1 as one from pg_stat_activity where pid = $1 and wait_event like 'WalSender%'"
    return (await database.sql.query(waits, [pid])).length > 0
  })
  expect(await end(pid)).toBe(true)
  expect((await ended).message).toMatch(/terminat/)
  await eventually("the slot is free", async () => {
    const active = "select 1 as one from pg_replication_slots where slot_name = $1 and active"
    return (await database.sql.query(active, [database.slot])).length === 0
  })
})

it("is left alone while it works", async () => {
  const { walsender: working, pid } = await walsender()
  const work = working.query("select pg_sleep(60)").catch((error: Error) => error.message)
  await eventually("it works", async () => {
    const works = "select 1 as one from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
    return (await database.sql.query(works, [pid])).length > 0
  })
  expect(await end(pid)).toBe(false)
  await database.sql.query("select pg_cancel_backend($1)::text", [pid])
  expect(await work).toMatch(/cancel/)
  working.close()
})

it("has ended if there is no such process", async () => {
  expect(await end(2_147_483_647)).toBe(true)
})
