/**
 * Changes of which no event can be made, because of a value in a row: they are stored and logged, and reading
 * continues.
 *
 * A row here is an alarm until somebody deletes it. A change that is read again after a restart gives the same row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../postgres/migrate/Table.ts"
import type { SetAside } from "./CapturedEvent.ts"

export const setAsideTable: Table = {
  name: "rackwire_set_aside",
  daily: false,
  columns: [
    { name: "position", type: "bigint", nullable: false },
    { name: "idx", type: "bigint", nullable: false },
    { name: "object_type", type: "text", nullable: false },
    // A text: an id beyond the range of a number is one of the reasons.
    { name: "object_id", type: "text", nullable: false },
    { name: "kind", type: "text", nullable: false },
    { name: "reason", type: "text", nullable: false },
    { name: "committed", type: "timestamp with time zone", nullable: false },
    { name: "noted", type: "timestamp with time zone", nullable: false, default: "now()" }
  ],
  constraints: [{ name: "rackwire_set_aside_key", sql: "unique (position, idx)" }],
  indexes: [],
  triggers: [],
  published: false
}

const { name: table } = setAsideTable

/** Most characters of a reason. */
const reasonMax = 500

/** The text without what Postgres does not keep, and not longer than a reason. */
export const storableText = (text: string): string => text.slice(0, reasonMax).toWellFormed().replaceAll("\0", "")

/** Most changes of one batch that the log names; it counts the others. */
const namedMax = 10

/** Stores the changes and logs those that are new. */
export const setAside = Effect.fnUntraced(function* (changes: ReadonlyArray<SetAside>) {
  if (changes.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const json = changes.map(({ position, idx, type, objectId, kind, reason, timestamp }) => ({
    position: `${position}`,
    idx,
    object_type: type.id,
    object_id: objectId,
    kind,
    reason: storableText(reason),
    committed: timestamp
  }))
  const added = yield* sql.unsafe<{ readonly what: string }>(
    `insert into ${table} (position, idx, object_type, object_id, kind, reason, committed)
     select position, idx, object_type, object_id, kind, reason, committed
       from jsonb_populate_recordset(null::${table}, $1::jsonb)
     on conflict (position, idx) do nothing
     returning object_type || ' ' || object_id || ' (' || kind || '): ' || reason as what`,
    [JSON.stringify(json)]
  )
  for (const { what } of added.slice(0, namedMax)) {
    yield* Effect.logWarning(`capture: a change was set aside and fires no webhook: ${what}`)
  }
  if (added.length > namedMax) yield* Effect.logWarning(`capture: ${added.length - namedMax} more were set aside`)
})

/** How many changes are set aside. */
export const countSetAside = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly count: string }>(`select count(*)::text as count from ${table}`)
  return Number(row!.count)
})
