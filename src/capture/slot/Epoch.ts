/** Epochs: spans in which the positions of one slot of one database rise. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import type { Table } from "../../inventory/derive/table/Table.ts"
import { type Run, openGap } from "./Gaps.ts"

/** One row per epoch. */
export const epochTable: Table = {
  name: "rackwire_epoch",
  daily: false,
  columns: [
    { name: "number", type: "bigint", nullable: false },
    { name: "system_id", type: "text", nullable: false },
    { name: "slot", type: "text", nullable: false },
    { name: "began", type: "timestamp with time zone", nullable: false, default: "now()" },
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
export const noteCaptured = Effect.fnUntraced(function* (epoch: number, { time, lsn }: Captured) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update rackwire_epoch set captured = ${time}::text::timestamptz, captured_lsn = ${lsn}::text::pg_lsn
     where number = ${epoch}::bigint`
})

export interface Captured {
  /** By the clock of the server. */
  readonly time: string
  readonly lsn: string
}

interface Last {
  readonly number: number
  readonly system_id: string
  readonly slot: string
}

/** The epoch in which reading goes on: a new one if the slot is `fresh` or the database is another one. */
export const ensureEpoch = Effect.fnUntraced(function* (run: Run, slot: string, fresh: boolean) {
  const [system] = yield* run<{ readonly id: string }>(`select ${systemIdentifier} as id`)
  const [last] = yield* run<Last>(
    "select number::int as number, system_id, slot from rackwire_epoch order by number desc limit 1"
  )
  const systemId = system!.id
  const isSameSystem = last?.system_id === systemId
  if (last !== undefined && !fresh && isSameSystem && last.slot === slot) return { epoch: last.number, systemId }
  const epoch = last === undefined ? 0 : last.number + 1
  if (!isSameSystem) yield* openGap(run, { cause: "slot", reason: "the database is another one" })
  yield* run("insert into rackwire_epoch (number, system_id, slot) values ($1, $2, $3)", [epoch, systemId, slot])
  if (last !== undefined) yield* Effect.logError(`capture: the slot or the database is new: epoch ${epoch} begins`)
  return { epoch, systemId }
})
