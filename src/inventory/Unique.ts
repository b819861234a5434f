/** Rules between rows: uniqueness, and trees without cycles. Conflicts are told by the position of the row in the write. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Errors, Row } from "./Field.ts"
import type { ObjectType, Unique } from "./ObjectType.ts"
import { columnsOf } from "./derive/Row.ts"
import { uniquesOf } from "./derive/Table.ts"

export interface Conflict {
  readonly at: number
  readonly errors: Errors
}

/** Rows, as they would be stored, that break a uniqueness with rows in the database or among themselves. */
export const duplicates = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const json = JSON.stringify(rows.map((row) => columnsOf(type, row)))
  const conflicts: Array<Conflict> = []
  for (const unique of uniquesOf(type)) {
    const columns = unique.fields.map((field) => type.columns[field])
    const only =
      unique.whereNull === undefined
        ? ""
        : ` and t.${type.columns[unique.whereNull]} is null and j.${type.columns[unique.whereNull]} is null`
    const found = yield* sql.unsafe<{ readonly at: number }>(
      `select j.ordinality::int as at
         from jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j
         join ${type.table} t on ${columns.map((column) => `t.${column} = j.${column}`).join(" and ")}${only}
        where t.id <> all ($2::bigint[])`,
      [json, rows.map(({ id }) => id)]
    )
    const errors = conflictMessage(type, unique)
    for (const { at } of found) conflicts.push({ at: at - 1, errors })
    for (const at of repeated(unique, rows)) conflicts.push({ at, errors })
  }
  return conflicts
})

/** Positions of rows that repeat the values of an earlier one. */
const repeated = (unique: Unique, rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const seen = new Set<string>()
  return rows.flatMap((row, at) => {
    const values = unique.fields.map((field) => row[field])
    if (values.includes(null) || (unique.whereNull !== undefined && row[unique.whereNull] !== null)) return []
    const key = JSON.stringify(values)
    if (seen.has(key)) return [at]
    seen.add(key)
    return []
  })
}

/** What a client reads of a uniqueness that its row would break. */
export const conflictMessage = (type: ObjectType, unique: Unique): Errors => {
  const names = unique.fields.map((field) => field.replaceAll("_", " "))
  if (unique.fields.length === 1 && unique.whereNull === undefined) {
    return { [unique.fields[0]!]: [`${type.label} with this ${names[0]} already exists.`] }
  }
  const listed = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
  return { __all__: [unique.message ?? `${type.label} with this ${listed} already exists.`] }
}

/** Rows that would become their own ancestor. */
export const cycles = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  if (type.fields["parent"]?.reference?.type !== type.id) return []
  const sql = yield* SqlClient.SqlClient
  const moved = rows.filter((row) => row.id > 0 && typeof row["parent"] === "number")
  if (moved.length === 0) return []
  // Two moves at once could close a circle that neither sees.
  yield* sql`select pg_advisory_xact_lock(hashtext(${type.table}))::text`
  const conflicts: Array<Conflict> = []
  for (const row of moved) {
    const found = yield* sql.unsafe(
      `with recursive up as (
         select id, parent_id from ${type.table} where id = $1::bigint
         union select p.id, p.parent_id from ${type.table} p join up on p.id = up.parent_id
       ) select 1 as one from up where id = $2::bigint`,
      [row["parent"], row.id]
    )
    if (found.length === 0) continue
    conflicts.push({
      at: rows.indexOf(row),
      errors: { parent: [`Cannot assign self or child ${type.label} as parent.`] }
    })
  }
  return conflicts
})
