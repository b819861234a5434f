/** The first fields that each of several changes changed, in one statement: for lists of changes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { allOf, whereIds } from "../derive/filter/Where.ts"
import {
  type Change,
  type ChangedField,
  type FoundField,
  changeType,
  fieldsOf,
  sideOf,
  tagsAsSeen,
  valueOf
} from "./Changes.ts"

/** Most fields of a change that are read, and most characters of a value. */
const fieldsMax = 4
const valueLengthMax = 300

/** Largest snapshot that is compared, bytes as it is stored (compressed), and characters. */
const storedBytesMax = 32 * 1024
const charsMax = 256 * 1024

export interface ChangeBrief {
  /** The status first, others in the order of the declaration. */
  readonly fields: ReadonlyArray<ChangedField>
  /** How many fields were changed beside these. */
  readonly others: number
}

interface FoundBrief {
  readonly id: string
  readonly fields: ReadonlyArray<FoundField>
  readonly count: number
}

/** By the id of the change. Creations, deletions and changes of very large objects are left out. */
export const changeBriefs = Effect.fnUntraced(function* (
  changes: ReadonlyArray<Pick<Change, "id" | "time" | "action">>
) {
  const updates = changes.filter(({ action }) => action === "update")
  if (updates.length === 0) return new Map<number, ChangeBrief>()
  const sql = yield* SqlClient.SqlClient
  const times = updates.map(({ time }) => time).sort()
  const where = allOf(
    whereIds(updates.map(({ id }) => id)),
    // Leaves out the days that have none of them.
    { sql: "t.time between $1::timestamptz and $2::timestamptz", parameters: [times[0], times.at(-1)] },
    yield* cleared(changeType, "view")
  )
  const small = (column: string): string =>
    `coalesce(pg_column_size(t.${column}), 0) <= ${storedBytesMax} and coalesce(length(t.${column}::text), 0) <= ${charsMax}`
  const rows = yield* sql.unsafe<{ readonly brief: FoundBrief }>(
    `select json_build_object('id', t.id::text, 'count', f.count, 'fields', f.fields) as brief
       from (select t.* from ${changeType.table} t where ${where.sql} offset 0) t cross join lateral (
         select count(*) as count, json_agg(f.field order by f.place) filter (where f.place <= ${fieldsMax}) as fields from (
           select row_number() over (order by coalesce(a.key, b.key) <> 'status', coalesce(a.ordinality, b.ordinality)) as place,
                  json_build_object('name', coalesce(a.key, b.key), 'changed', true,
                    'before', ${sideOf("b", valueLengthMax)}, 'after', ${sideOf("a", valueLengthMax)}) as field
             from ${fieldsOf("prechange_data")} b full join ${fieldsOf("postchange_data")} a on a.key = b.key
            where (b.type, b.text) is distinct from (a.type, a.text) and coalesce(a.key, b.key) <> 'last_updated') f) f
      where case when ${small("prechange_data")} then ${small("postchange_data")} else false end and f.count > 0`,
    where.parameters
  )
  const all = rows.flatMap(({ brief: { id, fields } }) =>
    fields.map(({ name, before, after }) => ({
      ...{ id, name, isChanged: true },
      before: valueOf(before, valueLengthMax),
      after: valueOf(after, valueLengthMax)
    }))
  )
  const seen = Map.groupBy(yield* tagsAsSeen(all), ({ id }) => id)
  return new Map(
    rows.map(({ brief: { id, count, fields } }): readonly [number, ChangeBrief] => [
      Number(id),
      { fields: (seen.get(id) ?? []).filter(({ isChanged }) => isChanged), others: count - fields.length }
    ])
  )
})
