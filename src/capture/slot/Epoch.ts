/** Epochs: spans in which the positions of one slot of one database rise. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { parseLsn } from "../../event/Lsn.ts"
import { type Run, onPool, openGap } from "./Gaps.ts"
import { type Origin, restoredSince } from "./Origin.ts"

/** One row per epoch. */
export const epochTable: Table = {
  name: "rackwire_epoch",
  daily: false,
  columns: [
    { name: "number", type: "bigint", nullable: false },
    { name: "system_id", type: "text", nullable: false },
    { name: "slot", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" },
    // Where it begins in the WAL: what was committed before has positions of the epoch before. Null for the next epoch.
    { name: "begin_lsn", type: "pg_lsn", nullable: true },
    // Whether the slot continues from the epoch before, so that nothing is missing between.
    { name: "continues", type: "boolean", nullable: false, default: "false" },
    // By what a restored backup shows (Origin.ts).
    { name: "timeline", type: "bigint", nullable: true },
    { name: "place", type: "text", nullable: true },
    // Up to when, and up to where in the WAL, all changes were captured.
    { name: "captured", type: "timestamp with time zone", nullable: true },
    { name: "captured_lsn", type: "pg_lsn", nullable: true },
    // When, and where in the WAL, the publication was found whole, and its fingerprint then.
    { name: "verified", type: "timestamp with time zone", nullable: true },
    { name: "verified_lsn", type: "pg_lsn", nullable: true },
    { name: "fingerprint", type: "text", nullable: true }
  ],
  constraints: [{ name: "rackwire_epoch_number_key", sql: "unique (number)" }],
  indexes: [],
  triggers: [],
  published: false
}

const systemIdentifier = "(select system_identifier::text from pg_control_system())"

/** Ends an epoch, unless another process has ended it: in the next one all positions are higher. */
export const endEpoch = Effect.fnUntraced(function* (epoch: number, why: string) {
  const sql = yield* SqlClient.SqlClient
  const { slot } = yield* Settings
  yield* sql.unsafe(
    `insert into rackwire_epoch (number, system_id, slot) values ($1::bigint + 1, ${systemIdentifier}, $2)
     on conflict (number) do nothing`,
    [epoch, slot]
  )
  yield* Effect.logError(`capture: a new epoch begins: ${why}`)
})

/** Notes up to where all changes were captured. */
export const noteCaptured = Effect.fnUntraced(function* (epoch: number, { time, lsn }: CapturePoint) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update rackwire_epoch set captured = ${time}::text::timestamptz, captured_lsn = ${lsn}::text::pg_lsn
     where number = ${epoch}::bigint`
})

export interface CapturePoint {
  /** By the clock of the server. */
  readonly time: string
  readonly lsn: string
}

interface Last {
  readonly number: number
  readonly system_id: string
  readonly slot: string
  readonly begin: string | null
  /** The epoch since which the slot has continued. */
  readonly first: number
  readonly timeline: number | null
  readonly place: string | null
}

export interface Epoch {
  readonly epoch: number
  /** The LSN from which on positions are of this epoch; before it they are of the one before. */
  readonly begin: bigint
  /** The epoch since which the slot has continued. */
  readonly first: number
  /** Identity of the database cluster. */
  readonly systemId: string
}

/** The epoch of a transaction by the LSN of its commit. */
export const epochAt = ({ epoch, begin }: Epoch, lsn: bigint): number => (lsn < begin ? epoch - 1 : epoch)

/**
 * The epoch in which reading continues: a new one if the slot is `fresh`, the database is another one, or a backup of
 * it was restored.
 */
export const ensureEpoch = Effect.fnUntraced(function* (run: Run, slot: string, fresh: boolean, origin: Origin) {
  const { systemId, timeline, place } = origin
  const last = yield* lastEpoch(run)
  const identity = [systemId, slot, timeline, place]
  if (last === undefined || fresh || last.system_id !== systemId || last.slot !== slot) {
    const epoch = last === undefined ? 0 : last.number + 1
    // Where the slot is new, the gap is noted with its reason.
    if (last?.system_id !== systemId && !fresh)
      yield* openGap(run, { cause: "slot", reason: "the database is another one" })
    yield* run(
      "insert into rackwire_epoch (number, system_id, slot, timeline, place) values ($1, $2, $3, $4::bigint, $5)",
      [epoch, ...identity]
    )
    if (last !== undefined) yield* Effect.logError(`capture: the slot or the database is new: epoch ${epoch} begins`)
    return { epoch, begin: 0n, first: epoch, systemId } satisfies Epoch
  }
  const restored = restoredSince({ timeline: last.timeline, place: last.place }, origin)
  if (restored === undefined) {
    if (last.timeline === null || (last.place === null && place !== null)) {
      yield* run("update rackwire_epoch set timeline = $2::bigint, place = $3 where number = $1", [
        ...[last.number, timeline, place]
      ])
    }
    const begin = last.begin === null ? 0n : parseLsn(last.begin)
    return { epoch: last.number, begin, first: last.first, systemId } satisfies Epoch
  }
  const epoch = last.number + 1
  const { begin, why } = restored
  yield* run(
    `insert into rackwire_epoch (number, system_id, slot, timeline, place, begin_lsn, continues)
     values ($1, $2, $3, $4::bigint, $5, $6::text::pg_lsn, true)`,
    [epoch, ...identity, begin ?? null]
  )
  yield* Effect.logError(`capture: ${why}: epoch ${epoch} begins, so that no id of a delivery is used again`)
  return { epoch, begin: begin === undefined ? 0n : parseLsn(begin), first: last.first, systemId } satisfies Epoch
})

const lastEpoch = (run: Run) =>
  Effect.map(
    run<Last>(
      `select number::int as number, system_id, slot, begin_lsn::text as begin, timeline::int as timeline, place,
              (select max(number)::int from rackwire_epoch where not continues) as first
         from rackwire_epoch order by number desc limit 1`
    ),
    ([last]) => last
  )

/**
 * Begins an epoch because a backup was restored, and ends the session that reads. Returns its number; undefined if
 * nothing was ever captured.
 */
export const beginRestored = Effect.gen(function* () {
  const run = yield* onPool
  const [row] = yield* run<{ readonly number: number }>(
    `insert into rackwire_epoch (number, system_id, slot, continues)
     select number + 1, ${systemIdentifier}, slot, true from rackwire_epoch order by number desc limit 1
     returning number::int as number`
  )
  const { slot } = yield* Settings
  yield* run(
    "select pg_terminate_backend(active_pid)::text from pg_replication_slots where slot_name = $1 and active",
    [slot]
  )
  return row?.number
})
