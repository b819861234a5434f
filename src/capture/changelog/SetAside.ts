/**
 * Changes that no event can be made of, because of what a row holds: kept as rows, said aloud, and passed over.
 *
 * A row here is an alarm until somebody deletes it. Read again after a restart, the same change is the same row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../../inventory/derive/table/Table.ts"
import type { SetAside } from "../fold/CapturedEvent.ts"

export const setAsideTable: Table = {
  name: "rackwire_set_aside",
  daily: false,
  columns: [
    { name: "position", type: "bigint", nullable: false },
    { name: "idx", type: "bigint", nullable: false },
    { name: "object_type", type: "text", nullable: false },
    // A text: an id beyond what a number can hold is one of the reasons.
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

/** Characters of a reason that are kept. */
const reasonMax = 500

/** Changes of one batch that the log names; it counts the others. */
const namedMax = 10

/** Writes them down, and says so of those that are new. */
export const setAside = Effect.fnUntraced(function* (changes: ReadonlyArray<SetAside>) {
  if (changes.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const json = changes.map(({ position, idx, type, objectId, kind, reason, timestamp }) => ({
    position: `${position}`,
    idx,
    object_type: type.id,
    object_id: objectId,
    kind,
    // Postgres keeps no zero byte.
    reason: reason.slice(0, reasonMax).toWellFormed().replaceAll("\0", ""),
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
    yield* Effect.logWarning(`capture: a change was set aside, no webhook hears of it: ${what}`)
  }
  if (added.length > namedMax) yield* Effect.logWarning(`capture: ${added.length - namedMax} more were set aside`)
})

/** How many are set aside and not acknowledged. */
export const countSetAside = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly count: string }>(`select count(*)::text as count from ${table}`)
  return Number(row!.count)
})
