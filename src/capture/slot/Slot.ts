/**
 * Prepares the publication, the slot and the epoch, before the WAL is read.
 *
 * The publication comes before the slot, because the WAL is decoded with the catalog of its time. If the slot is
 * missing or lost, changes may have been missed: it is created anew in a new epoch, and an error is logged.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Settings } from "../../Config.ts"
import { registry } from "../../inventory/Registry.ts"
import type { Table } from "../../inventory/derive/table/Table.ts"
import { CaptureError, fromSqlState } from "../CaptureError.ts"
import { parseLsn } from "../wal/Lsn.ts"

const publication = "rackwire"

const failoverVersion = 170_000

/** Advisory lock that is held while they are created. */
const lockKey = 7_225_812

/** One row per epoch: a span in which the positions of one slot of one database rise. */
export const epochTable: Table = {
  name: "rackwire_epoch",
  daily: false,
  columns: [
    { name: "number", type: "bigint", nullable: false },
    { name: "system_id", type: "text", nullable: false },
    { name: "slot", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" }
  ],
  constraints: [{ name: "rackwire_epoch_number_key", sql: "unique (number)" }],
  indexes: [],
  triggers: [],
  published: false
}

export interface Prepared {
  readonly slot: string
  /** The name that START_REPLICATION gets. */
  readonly publication: string
  readonly epoch: number
  /** Identity of the database cluster. */
  readonly systemId: string
}

interface FoundSlot {
  readonly confirmed: string | null
  readonly lost: boolean
  readonly database: string
  readonly ours: boolean
}

export const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { slot } = yield* Settings
  if (!/^[a-z0-9_]{1,63}$/.test(slot)) {
    return yield* new CaptureError({ reason: "Refused", message: `RACKWIRE_SLOT is not a name for a slot: ${slot}` })
  }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      // A session lock, since a slot cannot be created in a transaction that has written.
      const session = yield* sql.reserve
      const run: Run = (statement, parameters = []) => session.execute(statement, parameters, undefined)
      yield* Effect.acquireRelease(run("select pg_advisory_lock($1)::text", [lockKey]), () =>
        Effect.ignore(run("select pg_advisory_unlock($1)::text", [lockKey]))
      )
      yield* publish(run)
      yield* repairIdentity(run)
      const fresh = yield* ensureSlot(run, slot)
      return { slot, publication, ...(yield* ensureEpoch(run, slot, fresh)) } satisfies Prepared
    })
  )
}).pipe(
  Effect.catchTag("SqlError", (error) => {
    const { code = "", message } = error.reason.cause as { readonly code?: string; readonly message: string }
    return error.reason._tag === "ConnectionError"
      ? new CaptureError({ reason: "Transport", message })
      : fromSqlState(code, message)
  })
)

/**
 * The position up to which the slot is confirmed, where reading begins, and the end of the server's WAL. Only the
 * process that holds the slot may rely on them: another holder moves both.
 */
export const bounds = Effect.fnUntraced(function* (slot: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly confirmed: string; readonly end: string }>`
    select confirmed_flush_lsn::text as confirmed, pg_current_wal_insert_lsn()::text as end
      from pg_replication_slots where slot_name = ${slot}`
  return { confirmed: parseLsn(found!.confirmed), end: parseLsn(found!.end) }
})

/** Runs a statement; `Row` is what its rows hold. */
type Run = <Row extends object>(
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

interface TableName {
  readonly table: string
}

/** The tables whose changes become events. */
const wanted = [...registry.values()].filter((type) => type.kind === "object").map((type) => type.table)

/** Makes the publication list exactly those tables. */
const publish = Effect.fnUntraced(function* (run: Run) {
  const existing = yield* run("select 1 from pg_publication where pubname = $1", [publication])
  if (existing.length === 0) return yield* run(`create publication ${publication} for table ${wanted.join(", ")}`)
  const rows = yield* run<TableName>("select tablename::text as table from pg_publication_tables where pubname = $1", [
    publication
  ])
  const listed = new Set(rows.map(({ table }) => table))
  if (listed.symmetricDifference(new Set(wanted)).size === 0) return
  yield* run(`alter publication ${publication} set table ${wanted.join(", ")}`)
})

/** Restores replica identity full on tables that lost it: without it the WAL has no complete old rows. */
const repairIdentity = Effect.fnUntraced(function* (run: Run) {
  const rows = yield* run<TableName>(
    "select oid::regclass::text as table from pg_class where relname = any($1) and relkind = 'r' and relreplident <> 'f'",
    [wanted]
  )
  for (const { table } of rows) {
    yield* run(`alter table ${table} replica identity full`)
    yield* Effect.logWarning(
      `capture: ${table} had lost its replica identity full and has it again; events of changes made meanwhile lack the state before`
    )
  }
})

/** Repairs replica identities while the stream goes on. */
export const repair = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* repairIdentity((statement, parameters = []) => sql.unsafe(statement, parameters))
})

/** Creates the slot unless there is a usable one; returns whether it is new. */
const ensureSlot = Effect.fnUntraced(function* (run: Run, slot: string) {
  const [found] = yield* run<FoundSlot>(
    `select confirmed_flush_lsn::text as confirmed, wal_status = 'lost' as lost, database::text as database,
            database = current_database() and plugin = 'pgoutput' as ours
       from pg_replication_slots where slot_name = $1`,
    [slot]
  )
  if (found !== undefined && !found.ours) {
    return yield* new CaptureError({
      reason: "Refused",
      message: `the slot ${slot} belongs to the database ${found.database} or to another plugin: set RACKWIRE_SLOT to another name`
    })
  }
  if (found !== undefined && !found.lost && found.confirmed !== null) return false
  if (found !== undefined) yield* run("select pg_drop_replication_slot($1)::text", [slot])
  // Creating a slot waits for all running transactions.
  yield* run("set lock_timeout = '29s'")
  const [server] = yield* run<{ readonly version: number }>(
    "select current_setting('server_version_num')::int as version"
  )
  // From 17 on a standby can take the slot over.
  const options = server!.version >= failoverVersion ? ", failover => true" : ""
  yield* run(`select pg_create_logical_replication_slot($1, 'pgoutput'${options})::text`, [slot])
  yield* run("reset lock_timeout")
  return true
})

/** Ends an epoch, unless another process has ended it: in the next one all positions are higher. */
export const endEpoch = Effect.fnUntraced(function* (epoch: number, why: string) {
  const sql = yield* SqlClient.SqlClient
  const { slot } = yield* Settings
  yield* sql`
    insert into rackwire_epoch (number, system_id, slot)
    values (${epoch}::bigint + 1, (select system_identifier::text from pg_control_system()), ${slot})
    on conflict (number) do nothing`
  yield* Effect.logError(`capture: a new epoch begins: ${why}`)
})

const ensureEpoch = Effect.fnUntraced(function* (run: Run, slot: string, fresh: boolean) {
  const [system] = yield* run<{ readonly id: string }>("select system_identifier::text as id from pg_control_system()")
  const [last] = yield* run<{ readonly number: number; readonly system_id: string; readonly slot: string }>(
    "select number::int as number, system_id, slot from rackwire_epoch order by number desc limit 1"
  )
  const systemId = system!.id
  const goesOn = last !== undefined && !fresh && last.system_id === systemId && last.slot === slot
  if (goesOn) return { epoch: last.number, systemId }
  const epoch = last === undefined ? 0 : last.number + 1
  yield* run("insert into rackwire_epoch (number, system_id, slot) values ($1, $2, $3)", [epoch, systemId, slot])
  if (last !== undefined) {
    yield* Effect.logError(
      `The replication slot ${slot} is new, or the database is another one: changes since the last one read were not captured. Epoch ${epoch} begins.`
    )
  }
  return { epoch, systemId }
})
