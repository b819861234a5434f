/**
 * The replay of a gap: rows that were changed in it are written into the WAL as messages (RefilledRow.ts), and
 * capture makes events of them, for every webhook and the change log.
 *
 * `created` and `last_updated` of a row show that it was changed. Previous values and deletions cannot be recovered. A
 * change that the change log has already is left out, so a replay can be repeated.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../inventory/Vault.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { registry } from "../inventory/Registry.ts"
import { fits, refilledPrefix, refilledText } from "../capture/RefilledRow.ts"
import { gapById } from "../capture/slot/Gaps.ts"

/** Rows of one transaction. */
const pageSize = 200

/** Longest transaction that was under way when the gap began: its rows have the time of its begin. */
const slack = "1 hour"

/** Rows of a table `t` after $4 that were changed between $2 and $3, and of which the change log ($1: the type) has no event. */
const changedRows = ({ table }: ObjectType) => `
  select t.id::text as id, row_to_json(t)::text as row, t.created >= $2::timestamptz as is_created
    from ${table} t
   where t.last_updated between $2::timestamptz - interval '${slack}' and coalesce($3::timestamptz, now())
     and t.id > $4::text::bigint
     and not exists (
       select from extras_objectchange c
        where c.changed_object_type = $1 and c.changed_object_id = t.id and c.time >= t.last_updated
          and case when c.postchange_data->>'last_updated' ~ '^[0-9]{4}-'
                   then (c.postchange_data->>'last_updated')::timestamptz = t.last_updated end)
   order by t.id limit ${pageSize}`

interface ChangedRow {
  readonly id: string
  readonly row: string
  readonly is_created: boolean
}

/** How many rows of a type were found, and how many of them are too large for a message. */
interface RefillCount {
  readonly type: string
  readonly rows: number
  readonly tooLarge: number
}

/** Replays a gap; returns what was found of each type. `dryRun`: only counts. Undefined if there is no such gap. */
export const refill = Effect.fnUntraced(function* (id: number, dryRun: boolean) {
  const gap = yield* gapById(id)
  if (gap === undefined) return undefined
  const concerned = [...registry.values()].filter(
    (type) => type.kind === "object" && (gap.types?.includes(type.id) ?? true)
  )
  const all: Array<RefillCount> = []
  for (const type of concerned) {
    let [rows, tooLarge, last] = [0, 0, "0"]
    while (true) {
      const parameters = [type.id, gap.since, gap.until, last]
      const page = yield* refillPage(type, parameters, dryRun)
      rows += page.ids.length
      tooLarge += page.tooLarge
      if (page.ids.length < pageSize) break
      last = page.ids.at(-1)!
    }
    if (rows > 0) all.push({ type: type.id, rows, tooLarge })
  }
  return all
})

/** One transaction. It locks the rows: no later change may precede the message in the WAL. */
const refillPage = Effect.fnUntraced(function* (type: ObjectType, parameters: ReadonlyArray<unknown>, dryRun: boolean) {
  const sql = yield* SqlClient.SqlClient
  const { seal } = yield* Vault
  const page = Effect.gen(function* () {
    const rows = yield* sql.unsafe<ChangedRow>(`${changedRows(type)}${dryRun ? "" : " for share of t"}`, parameters)
    if (dryRun || rows.length === 0) return { ids: rows.map(({ id }) => id), tooLarge: 0 }
    const [current] = yield* sql<{ readonly xid: number }>`
      select mod(pg_current_xact_id()::text::numeric, 4294967296)::float8 as xid`
    const sealed = rows.map(({ row, is_created: isCreated }) =>
      seal(refilledText({ type: type.id, kind: isCreated ? "created" : "updated", xid: current!.xid, row }))
    )
    const fitting = sealed.filter(fits)
    for (const content of fitting) yield* sql`select pg_logical_emit_message(true, ${refilledPrefix}, ${content})::text`
    return { ids: rows.map(({ id }) => id), tooLarge: sealed.length - fitting.length }
  })
  return yield* sql.withTransaction(page)
})
