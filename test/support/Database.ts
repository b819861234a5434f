/** A database of the shared Postgres for one test file, plain SQL to it, and a Redis database beside it. */
import { randomBytes } from "node:crypto"
import { Redis } from "ioredis"
import { eventually } from "./Eventually.ts"
import { workerServers } from "./Shared.ts"
import { type Sql, databaseAt, openSql } from "./Sql.ts"

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

/** The servers of this worker. Importing this module starts them. */
export const servers = await workerServers()

/** For what is done outside of the databases: a connection takes longer than most statements. */
const server = openSql(servers.superuserUrl)

/** Databases of a Redis, without the first and the last. */
const redisDatabases = 14

let made = 0

/** An empty Redis database, which the next thirteen calls do not return. */
export const emptyRedis = async (): Promise<string> => {
  const url = databaseAt(servers.redisUrl, `${1 + (made++ % redisDatabases)}`)
  const redis = new Redis(url, { protocol: 2 })
  await redis.flushdb()
  await redis.quit()
  return url
}

/** A database with all tables and no rows: a copy of the migrated one. */
export const makeDatabase = (): Promise<TestDatabase> => copyOf(servers.migratedDatabase)

export const makeEmptyDatabase = (): Promise<TestDatabase> => copyOf("template1")

const copyOf = async (template: string): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`
  const owner = new URL(servers.databaseUrl).username
  // Copying files takes half of the time of writing every page to the log.
  await server.query(`create database ${name} template ${template} owner ${owner} strategy file_copy`)
  const redisUrl = await emptyRedis()
  const databaseUrl = databaseAt(servers.databaseUrl, name)
  const sql = openSql(databaseUrl)
  const superuser = openSql(databaseAt(servers.superuserUrl, name))
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
