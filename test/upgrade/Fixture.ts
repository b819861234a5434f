/** The database and the Redis of a release, as its processes left them: what the next release is started on. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { Redis } from "ioredis"
import { parseLsn } from "../../src/event/Lsn.ts"
import {
  publication,
  publicationFingerprint,
  publishedTables
} from "../../src/inventory/derive/table/PublicationState.ts"
import type { TestDatabase } from "../support/Database.ts"
import { openSql } from "../support/Sql.ts"
import { formerOwnerKey } from "../../src/queue/reconcile/FormerKeys.ts"

export interface Fixture {
  /** The release that made it. */
  readonly version: string
  /** Output of `pg_dump` for the database. */
  readonly sql: string
  /** The keys of Redis: what DUMP gave, in base64, and for how many milliseconds each still lives, 0 for ever. */
  readonly redis: ReadonlyArray<readonly [key: string, dumped: string, millis: number]>
  /** The end of the WAL. */
  readonly end: string
  readonly secretKey: string
  readonly password: string
  /** Token of the user `reader`, who may view sites. */
  readonly token: string
  /** Host and port that its webhooks send to; `load` replaces them. */
  readonly receiver: string
  /** Ids of the deliveries that were not done yet, by the webhook's name. */
  readonly owed: Readonly<Record<string, ReadonlyArray<string>>>
}

const folder = new URL("releases/", import.meta.url)
const ending = ".json.br"

/** The releases of which there is a fixture. */
export const releases = (): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((file) => (file.endsWith(ending) ? [file.slice(0, -ending.length)] : []))

export const readFixture = (release: string): Fixture =>
  JSON.parse(brotliDecompressSync(readFileSync(new URL(release + ending, folder))).toString()) as Fixture

/** Returns the size of the file, bytes. */
export const writeFixture = (fixture: Fixture): number => {
  const text = JSON.stringify(fixture)
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  const bytes = brotliCompressSync(text, { params })
  writeFileSync(new URL(fixture.version + ending, folder), bytes)
  return bytes.length
}

/** Fills an empty database and an empty Redis, with webhooks that send to this host and port. */
export const load = async (fixture: Fixture, database: TestDatabase, receiver: string): Promise<void> => {
  // A session of its own: the dump changes its settings. A DO block runs what is more than one statement.
  const sql = openSql(database.databaseUrl)
  const dump = fixture.sql.replaceAll(fixture.receiver, receiver)
  await sql.query(`do $load$ begin execute $dump$${dump}$dump$; end $load$`)
  await sql.close()
  const redis = new Redis(database.redisUrl, { protocol: 2 })
  for (const [key, dumped, millis] of fixture.redis) await redis.restore(key, millis, Buffer.from(dumped, "base64"))
  const [row] = await database.sql.query<{ readonly name: string }>(
    "select current_database() || ' (cluster ' || system_identifier || ')' as name from pg_control_system()"
  )
  await redis.set(formerOwnerKey, row!.name)
  await redis.quit()
  await adopt(fixture, database)
}

/**
 * Makes the database look like the one that was dumped: the same cluster with the same slot, whose WAL goes on. A dump
 * in another cluster is a restored backup otherwise, which begins an epoch of its own.
 */
const adopt = async ({ end }: Fixture, { sql, superuser, slot }: TestDatabase): Promise<void> => {
  const walEnd = async () => {
    const [row] = await sql.query<{ readonly end: string }>("select pg_current_wal_insert_lsn()::text as end")
    return parseLsn(row!.end)
  }
  while ((await walEnd()) <= parseLsn(end)) {
    // A segment without a record is not ended.
    await superuser.query("select pg_logical_emit_message(false, 'fixture', '')::text")
    await superuser.query("select pg_switch_wal()::text")
  }
  await superuser.query("select pg_create_logical_replication_slot($1, 'pgoutput')::text", [slot])
  await superuser.query(
    `update rackwire_epoch set slot = $3, system_id = (select system_identifier::text from pg_control_system()),
            captured = now(), captured_lsn = pg_current_wal_insert_lsn(), verified = now(),
            verified_lsn = pg_current_wal_insert_lsn(), fingerprint = ${publicationFingerprint}
      where number = (select max(number) from rackwire_epoch)`,
    [publication, publishedTables, slot]
  )
}
