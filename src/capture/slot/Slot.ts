/**
 * Prepares the publication, the slot and the epoch, before the WAL is read.
 *
 * The publication is created before the slot, because the WAL is decoded with the catalog of its time. If the slot is
 * missing or lost, changes may have been missed: it is created anew in a new epoch, and an error is logged.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Settings } from "../../Config.ts"
import { lsnBits } from "../../event/Position.ts"
import { adviceFor, walLevelProblem } from "../Advice.ts"
import { CaptureError, fromSqlState } from "../CaptureError.ts"
import { parseLsn } from "../../event/Lsn.ts"
import { type Epoch, ensureEpoch } from "./Epoch.ts"
import { type Run, openGap, reopenGap } from "./Gaps.ts"
import type { Origin } from "./Origin.ts"
import { publication } from "../../inventory/derive/table/PublicationState.ts"
import { ensurePublication } from "./Publication.ts"

const failoverVersion = 170_000

/** SQLSTATE: all replication slots are in use. */
const slotsUsed = "53400"

/** Advisory lock while they are created. */
const lockKey = 7_225_812

export interface SlotState extends Epoch {
  readonly slot: string
  /** The name that START_REPLICATION gets. */
  readonly publication: string
}

interface FoundSlot {
  readonly confirmed: string | null
  readonly lost: boolean
  readonly database: string
  readonly ours: boolean
}

/** `skip`: the WAL that is not read yet cannot be decoded. */
export const prepare = Effect.fnUntraced(
  function* (skip: boolean, origin: Origin) {
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
        yield* refuseSecondSlot(run, slot)
        const found = yield* findSlot(run, slot)
        const isUsable = found !== undefined && !found.lost && found.confirmed !== null
        if (!isUsable) yield* refuseWalLevel(run)
        // Noted before the publication is compared: a restored backup lacks both, and that is one gap.
        if (!isUsable) yield* openGap(run, { cause: "slot", reason: lossOf(slot, found) })
        yield* ensurePublication(run, isUsable)
        if (!isUsable) yield* makeSlot(run, slot, found !== undefined)
        else if (skip) yield* skipUndecodable(run, slot)
        return { slot, publication, ...(yield* ensureEpoch(run, slot, !isUsable, origin)) } satisfies SlotState
      })
    )
  },
  Effect.catchTag("SqlError", (error) => asRefused(error))
)

const asRefused = ({ reason }: SqlError.SqlError): CaptureError => {
  const { code = "", message } = reason.cause as { readonly code?: string; readonly message: string }
  if (code === slotsUsed) return new CaptureError({ reason: "Refused", message: `${message}: ${adviceFor(code, "")}` })
  return reason._tag === "ConnectionError"
    ? new CaptureError({ reason: "Transport", message })
    : fromSqlState(code, message)
}

/**
 * The position up to which the slot is confirmed, where reading begins, and the end of the server's WAL. Only the
 * process that uses the slot may rely on them: another one moves both.
 */
export const bounds = Effect.fnUntraced(function* (slot: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly confirmed: string; readonly end: string }>`
    select confirmed_flush_lsn::text as confirmed, pg_current_wal_insert_lsn()::text as end
      from pg_replication_slots where slot_name = ${slot}`
  return { confirmed: parseLsn(found!.confirmed), end: parseLsn(found!.end) }
})

/**
 * Fails while another process reads this database by another slot. Both would write the same logs, and each would find
 * that the other had begun a new epoch, and begin the next.
 */
const refuseSecondSlot = Effect.fnUntraced(function* (run: Run, slot: string) {
  const [other] = yield* run<{ readonly name: string }>(
    `select s.slot_name::text as name from pg_replication_slots s
      where s.active and s.database = current_database() and s.slot_name <> $1
        and exists (select from rackwire_epoch e where e.slot = s.slot_name) limit 1`,
    [slot]
  )
  if (other === undefined) return
  return yield* new CaptureError({
    reason: "Refused",
    message: `another process reads this database by the slot ${other.name}: set RACKWIRE_SLOT to ${other.name}, or stop that process`
  })
})

/** The slot of this name; undefined if there is none. Fails if it is not ours. */
const findSlot = Effect.fnUntraced(function* (run: Run, slot: string) {
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
  return found
})

const lossOf = (slot: string, found: FoundSlot | undefined): string =>
  `the replication slot ${slot} ${found === undefined ? "is missing" : "was lost"}: changes committed since are not captured`

/** Fails if the server writes no WAL that a slot can decode. */
const refuseWalLevel = Effect.fnUntraced(function* (run: Run) {
  const [server] = yield* run<{ readonly walLevel: string }>(`select current_setting('wal_level') as "walLevel"`)
  const problem = walLevelProblem(server!.walLevel)
  if (problem !== undefined) return yield* new CaptureError({ reason: "Refused", message: problem })
})

/** Creates the slot, in place of an unusable one where it exists. */
const makeSlot = Effect.fnUntraced(function* (run: Run, slot: string, exists: boolean) {
  if (exists) yield* run("select pg_drop_replication_slot($1)::text", [slot])
  // Creating a slot waits for all running transactions.
  yield* run("set lock_timeout = '29s'")
  const [server] = yield* run<{ readonly version: number }>(
    "select current_setting('server_version_num')::int as version"
  )
  // From 17 on a standby can take the slot over.
  const options = server!.version >= failoverVersion ? ", failover => true" : ""
  yield* run(`select pg_create_logical_replication_slot($1, 'pgoutput'${options})::text`, [slot])
  yield* run("reset lock_timeout")
})

/**
 * Moves the slot to where we made the publication again, or else to the end of the WAL; what lies between is a gap. The
 * publication must exist already.
 */
const skipUndecodable = Effect.fnUntraced(function* (run: Run, slot: string) {
  const [gap] = yield* run<{ readonly made: string | null }>(
    "select max(to_position)::text as made from rackwire_gap where cause = 'publication'"
  )
  yield* reopenGap(run, "publication")
  const reason = "the publication did not exist: changes committed meanwhile cannot be decoded"
  yield* openGap(run, { cause: "slot", reason })
  yield* run(
    `select pg_replication_slot_advance(slot_name, case when made > confirmed_flush_lsn then made else pg_current_wal_insert_lsn() end)::text
       from pg_replication_slots, (select '0/0'::pg_lsn + ($2::text::bigint & ((1::bigint << ${lsnBits}) - 1)) as made) gap
      where slot_name = $1`,
    [slot, gap!.made]
  )
})
