/** The slot and the publication in the database of a source: nothing else is ever written there. */
import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { paused } from "../../eventloop/Pace.ts"
import { sqlStateOf } from "../../postgres/Postgres.ts"
import { adviceFor, walLevelProblem } from "../../capture/Advice.ts"
import { SourceFailed } from "../SourceFailed.ts"

/** The names in the database of a source. */
export interface SlotNames {
  readonly slot: string
  readonly publication: string
}

/** Servers from this version on can give the slot to a standby. */
const failoverVersion = 170_000

const asRefused = (error: SqlError.SqlError) => {
  const code = sqlStateOf(error)
  const { message } = error.reason.cause as { readonly message: string }
  if (code === undefined) return error
  const advice =
    code === "42501"
      ? "rackwire attach --print-sql prints the statements that an administrator can run"
      : adviceFor(code, "")
  return new SourceFailed({ reason: "Refused", message: advice === undefined ? message : `${message}: ${advice}` })
}

/** SQLSTATE: another process has made it meanwhile. */
const duplicate = "42710"

const unlessMade = <A, R>(make: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.catchIf(
    make,
    (error) => sqlStateOf(error) === duplicate,
    () => Effect.void
  )

/** Drops a slot that lacks changes. Fails where another session than the one of `ownPid` reads it: the slot stays. */
const dropIncomplete = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, slot: string, ownPid?: number) {
  const [found] = yield* sql.unsafe<{ readonly pid: number | null }>(
    `select active_pid as pid from pg_replication_slots
      where slot_name = $1 and database = current_database() and plugin = 'pgoutput'`,
    [slot]
  )
  if (found === undefined) return
  // With its session ours ends, which must not end the drop.
  if (found.pid === null || found.pid === ownPid) return yield* Effect.uninterruptible(dropSlot(sql, slot))
  const message = `the publication was changed while a session reads the slot ${slot}: that session must end first`
  return yield* new SourceFailed({ reason: "Refused", message })
})

/**
 * Creates the publication of the change table where it is missing. The slot lacks changes that were not published: it is
 * dropped, and they are read from the table. `ownPid`: the session by which this process reads it, if it does.
 */
export const ensurePublication = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, table: string, { publication, slot }: SlotNames, ownPid?: number) {
    const [found] = yield* sql.unsafe<{ readonly lists: boolean; readonly publishes: boolean }>(
      `select exists (select from pg_publication_tables t where t.pubname = p.pubname and t.tablename = $2) as lists,
              p.pubinsert and p.pubupdate as publishes
         from pg_publication p where p.pubname = $1`,
      [publication, table]
    )
    if (found?.lists === true && found.publishes) return undefined
    yield* dropIncomplete(sql, slot, ownPid)
    if (found === undefined) {
      const made = sql.unsafe(
        `create publication "${publication}" for table ${table} with (publish = 'insert, update')`
      )
      return yield* unlessMade(made)
    }
    const message = `the publication ${publication} ${found.lists ? "leaves out inserts or updates" : `does not list ${table}`}: drop it, and it is made anew`
    return yield* new SourceFailed({ reason: "Refused", message })
  },
  Effect.mapError((error) => (SqlError.isSqlError(error) ? asRefused(error) : error))
)

interface FoundSlot {
  readonly isLost: boolean
  readonly isOurs: boolean
}

/** Creates the slot where it is missing or lost. */
export const ensureSlot = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient, { slot }: SlotNames) {
    const [found] = yield* sql.unsafe<FoundSlot>(
      `select coalesce(wal_status = 'lost', false) as "isLost", database = current_database() and plugin = 'pgoutput' as "isOurs"
         from pg_replication_slots where slot_name = $1`,
      [slot]
    )
    if (found?.isOurs === false) {
      const message = `the slot ${slot} belongs to another database or plugin: give the source another slot`
      return yield* new SourceFailed({ reason: "Refused", message })
    }
    if (found?.isLost === false) return
    const [server] = yield* sql.unsafe<{ readonly walLevel: string; readonly version: number }>(
      `select current_setting('wal_level') as "walLevel", current_setting('server_version_num')::int as version`
    )
    const problem = walLevelProblem(server!.walLevel)
    if (problem !== undefined) return yield* new SourceFailed({ reason: "Refused", message: problem })
    if (found !== undefined) yield* sql.unsafe("select pg_drop_replication_slot($1)::text", [slot])
    const options = server!.version >= failoverVersion ? ", failover => true" : ""
    yield* unlessMade(sql.unsafe(`select pg_create_logical_replication_slot($1, 'pgoutput'${options})::text`, [slot]))
  },
  Effect.mapError((error) => (SqlError.isSqlError(error) ? asRefused(error) : error))
)

/** Up to where the slot has been confirmed: it has the changes behind. */
export const confirmedIn = (sql: SqlClient.SqlClient, slot: string) =>
  Effect.map(
    sql.unsafe<{ readonly lsn: string | null }>(
      "select confirmed_flush_lsn::text as lsn from pg_replication_slots where slot_name = $1",
      [slot]
    ),
    ([row]) => row?.lsn ?? undefined
  )

/** Drops the slot, ending the session that uses it. */
export const dropSlot = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, slot: string) {
  yield* sql.unsafe(
    `select pg_terminate_backend(active_pid)::text from pg_replication_slots where slot_name = $1 and active_pid is not null and database = current_database()`,
    [slot]
  )
  yield* Effect.retry(
    sql.unsafe(
      `select pg_drop_replication_slot(slot_name)::text from pg_replication_slots where slot_name = $1 and database = current_database()`,
      [slot]
    ),
    { times: dropsMax, schedule: dropPause, while: (error) => sqlStateOf(error) === slotActive }
  )
})

/** SQLSTATE: a session uses the slot. */
const slotActive = "55006"

/** A session takes a moment to end. */
const dropsMax = 50
const dropPause = Schedule.spaced("100 millis")

export interface SlotGauge {
  readonly lagBytes: number
  readonly retainedBytes: number
  readonly isLost: boolean
}

/** Measures the slot; undefined if there is none. */
export const measureSlot = (sql: SqlClient.SqlClient, slot: string) =>
  Effect.map(
    sql.unsafe<SlotGauge>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn)::float8 as "lagBytes",
              coalesce(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn), 0)::float8 as "retainedBytes",
              coalesce(wal_status = 'lost', false) as "isLost"
         from pg_replication_slots where slot_name = $1`,
      [slot]
    ),
    ([row]) => row
  )

const megabyte = 1024 * 1024

interface LimitedSource {
  readonly name: string
  readonly slot: string
  /** Megabytes. */
  readonly wal_limit: number
}

/** Drops the slot at the limit of the WAL that the server keeps for it: the changes are read from the table then. */
export const limitWal = (sql: SqlClient.SqlClient, { name, slot, wal_limit: limitMegabytes }: LimitedSource) => {
  const turn = Effect.gen(function* () {
    const gauge = yield* measureSlot(sql, slot)
    if (gauge === undefined || gauge.retainedBytes <= limitMegabytes * megabyte) return
    const kept = Math.round(gauge.retainedBytes / megabyte)
    yield* Effect.logError(
      `source ${name}: the server kept ${kept} MB of WAL for the slot ${slot}, more than ${limitMegabytes}: the slot is dropped`
    )
    yield* Effect.uninterruptible(dropSlot(sql, slot))
  })
  return Effect.ignore(turn).pipe(Effect.andThen(paused(({ capture }) => capture.heartbeatMillis)), Effect.forever)
}
