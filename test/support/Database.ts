/** A database of the shared Postgres for one test file, plain SQL to it, and a Redis database beside it. */
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { Redis } from "ioredis"
import { inject } from "vitest"
import { eventually } from "./Eventually.ts"

export interface Sql {
  /** Runs a statement; answers its rows, or rejects with the server's error. */
  readonly query: <A extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<A>>
  /** Runs statements in one transaction. */
  readonly transaction: (...statements: ReadonlyArray<string>) => Promise<void>
  readonly close: () => Promise<void>
}

/** Plain SQL to any Postgres. */
export const openSql = (url: string): Sql => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
  const run = <A>(use: (sql: PgClient.PgClient) => Effect.Effect<A, SqlError.SqlError>): Promise<A> =>
    runtime.runPromise(
      Effect.flatMap(PgClient.PgClient, use).pipe(Effect.mapError(({ reason }) => reason.cause as Error))
    )
  return {
    query: <A extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      run((sql) => sql.unsafe<A>(statement, parameters)),
    transaction: (...statements) =>
      run((sql) =>
        sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
      ),
    close: () => runtime.dispose()
  }
}

export interface TestDatabase {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** A name for a replication slot that no other test uses. */
  readonly slot: string
  readonly sql: Sql
  /** The same database for what only a superuser may do. */
  readonly superuser: Sql
  /** Removes the database, and the slot if one was made. */
  readonly drop: () => Promise<void>
}

/** The same server's database, of Postgres by name or of Redis by number. */
export const databaseAt = (url: string, path: string): string =>
  Object.assign(new URL(url), { pathname: `/${path}` }).href

/** Redis databases are numbered. Each worker uses the one with its own number, so that concurrent files do not meet. */
export const redisUrlOfWorker = (): string => redisUrlAt(0)

/** A worker has several: Redis has 16 by default, and two workers start. */
const redisUrlAt = (nth: number): string =>
  databaseAt(inject("redisUrl"), `${Number(process.env["VITEST_POOL_ID"] ?? 1) + 4 * nth}`)

/** A database with all tables and no rows: a copy of the one that was migrated before the first test. */
export const makeDatabase = (): Promise<TestDatabase> => copyOf(inject("migratedDatabase"))

/** The same for a second service, beside that of the first. */
export const makeSecondDatabase = (): Promise<TestDatabase> => copyOf(inject("migratedDatabase"), redisUrlAt(1))

export const makeEmptyDatabase = (): Promise<TestDatabase> => copyOf("template1")

const copyOf = async (template: string, redisUrl = redisUrlOfWorker()): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`
  const server = openSql(inject("superuserUrl"))
  const owner = new URL(inject("databaseUrl")).username
  await server.query(`create database ${name} template ${template} owner ${owner}`)
  const redis = new Redis(redisUrl, { protocol: 2 })
  await redis.flushdb()
  await redis.quit()
  const databaseUrl = databaseAt(inject("databaseUrl"), name)
  const sql = openSql(databaseUrl)
  const superuser = openSql(databaseAt(inject("superuserUrl"), name))
  return {
    databaseUrl,
    redisUrl,
    slot: name,
    sql,
    superuser,
    drop: async () => {
      await Promise.all([sql.close(), superuser.close()])
      await server.query(
        "select pg_terminate_backend(active_pid)::text from pg_replication_slots where slot_name = $1 and active",
        [name]
      )
      // The walsender takes a moment to release its slot.
      await eventually("the slot is free", async () => {
        const active = "select 1 as one from pg_replication_slots where slot_name = $1 and active"
        return (await server.query(active, [name])).length === 0
      })
      await server.query(
        "select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = $1",
        [name]
      )
      await server.query(`drop database ${name} with (force)`)
      await server.close()
    }
  }
}

/** Makes Postgres use an index wherever one can answer; it would scan the few rows of a test otherwise. */
export const forbidScans = async ({ databaseUrl, sql }: TestDatabase): Promise<void> => {
  const name = new URL(databaseUrl).pathname.slice(1)
  await sql.query(`alter database ${name} set enable_seqscan = off`)
  // Open connections would keep their old setting.
  await sql.query(
    "select pg_terminate_backend(pid)::text from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
    [name]
  )
  await sql.query("set enable_seqscan = off")
}
