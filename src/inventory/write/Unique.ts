/**
 * Rules between rows: uniqueness, and trees without cycles. Conflicts are reported by the position of the row in the
 * write.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Errors, Row } from "../Field.ts"
import { type ObjectType, type Unique, fieldOf } from "../ObjectType.ts"
import { isTree } from "../derive/filter/Path.ts"
import { columnsOf } from "../derive/values/Row.ts"
import { uniqueKey, uniquesOf } from "../derive/table/TableOf.ts"
import { type Where, after, asTexts, everything } from "../derive/filter/Where.ts"

export interface Conflict {
  readonly at: number
  readonly errors: Errors
}

/** Limits of the check for rows that are refused already. */
interface RefusedAlready {
  /** Whether a uniqueness can be checked: some values of the row are invalid. */
  readonly isComparable: (unique: Unique, at: number) => boolean
  /** Objects that the sender may see. A conflict with another one is reported only if nothing else is wrong. */
  readonly visible: Where
}

/**
 * Whether a uniqueness can be checked for a row with these wrong fields: one of several fields where no field is wrong,
 * one of a single field where that is right; none of values that are stored otherwise, which were not made.
 */
export const canCompare = (type: ObjectType, { fields, whereNull }: Unique, wrong: Errors): boolean => {
  if (fields.some((name) => fieldOf(type, name).store !== undefined)) return false
  if (Object.keys(wrong).length === 0) return true
  return fields.length === 1 && whereNull === undefined && !Object.hasOwn(wrong, fields[0]!)
}

/** Rows, as they would be stored, that break a uniqueness with rows in the database or among themselves. */
export const duplicates = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  { isComparable, visible }: RefusedAlready = { isComparable: () => true, visible: everything }
) {
  const sql = yield* SqlClient.SqlClient
  const conflicts: Array<Conflict> = []
  const ids = asTexts(rows.map(({ id }) => id))
  for (const unique of uniquesOf(type)) {
    const places = rows.flatMap((_, at) => (isComparable(unique, at) ? [at] : []))
    if (places.length === 0) continue
    const compared = places.map((at) => partOf(rows[at]!, unique))
    const json = JSON.stringify(compared.map((row) => columnsOf(type, row)))
    const same = unique.fields.map(
      (field) => `${uniqueKey(type, unique, field, "t.")} = ${uniqueKey(type, unique, field, "j.")}`
    )
    const only =
      unique.whereNull === undefined
        ? ""
        : ` and t.${type.columns[unique.whereNull]} is null and j.${type.columns[unique.whereNull]} is null`
    const found = yield* sql.unsafe<{ readonly at: number }>(
      `select j.ordinality::int as at
         from jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j
         join ${type.table} t on ${same.join(" and ")}${only}
        where t.id <> all ($2::text[]::bigint[]) and ${after(2, visible)}`,
      [json, ids, ...visible.parameters]
    )
    const errors = conflictMessage(type, unique)
    for (const { at } of found) conflicts.push({ at: places[at - 1]!, errors })
    for (const at of repeated(unique, compared)) conflicts.push({ at: places[at]!, errors })
  }
  return conflicts
})

/** The duplicates but for those that a rival (Rule.ts) reports under the same fields, in the words of the type. */
export const unexplained = (
  duplicates: ReadonlyArray<Conflict>,
  rivalries: ReadonlyArray<Conflict>
): ReadonlyArray<Conflict> =>
  duplicates.filter(
    ({ at, errors }) =>
      !rivalries.some((rival) => rival.at === at && Object.keys(errors).every((name) => name in rival.errors))
  )

/** The values of a row that the uniqueness is about. */
const partOf = (row: Row, { fields, whereNull }: Unique): Row => ({
  ...Object.fromEntries([...fields, ...(whereNull === undefined ? [] : [whereNull])].map((name) => [name, row[name]])),
  id: row.id
})

/** Positions of rows that repeat the values of an earlier one. */
const repeated = (unique: Unique, rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const seen = new Set<string>()
  return rows.flatMap((row, at) => {
    const values = unique.fields.map((field) => {
      const value = row[field]
      return typeof value === "string" && unique.ignoreCase?.includes(field) === true ? value.toLowerCase() : value
    })
    if (
      values.some((value) => value === null || value === undefined) ||
      (unique.whereNull !== undefined && row[unique.whereNull] !== null)
    )
      return []
    const key = JSON.stringify(values)
    if (seen.has(key)) return [at]
    seen.add(key)
    return []
  })
}

/** Names of fields as NetBox's messages have them, where these are not the words of the field. */
const called: Readonly<Record<string, string>> = { asn: "ASN", asset_tag: "Asset tag", rd: "Route distinguisher" }

/** The errors that a client gets if its row would break this uniqueness. */
export const conflictMessage = (type: ObjectType, unique: Unique): Errors => {
  const names = unique.fields.map((field) => called[field] ?? field.replaceAll("_", " "))
  if (unique.fields.length === 1 && unique.whereNull === undefined) {
    return { [unique.fields[0]!]: [`${type.label} with this ${names[0]} already exists.`] }
  }
  const labels = names.map(capitalised)
  const listed = labels.length === 1 ? labels[0] : `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}`
  return { __all__: [unique.message ?? `${capitalised(type.label)} with this ${listed} already exists.`] }
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Rows that would become their own ancestor. */
export const cycles = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  if (!isTree(type)) return []
  const moved = new Map(rows.flatMap(({ id, parent }) => (id > 0 && typeof parent === "number" ? [[id, parent]] : [])))
  if (moved.size === 0) return []
  const sql = yield* SqlClient.SqlClient
  // Two moves at once could close a circle that neither sees.
  yield* sql`select pg_advisory_xact_lock(hashtext(${type.table}))::text`
  const above = yield* sql.unsafe<{ readonly id: string; readonly parent: string }>(
    `with recursive up as (
       select id, parent_id from ${type.table} where id = any ($1::text[]::bigint[])
       union select p.id, p.parent_id from ${type.table} p join up on p.id = up.parent_id
     ) select id::text as id, parent_id::text as parent from up where parent_id is not null`,
    [asTexts(moved.values())]
  )
  const parents = new Map([...above.map(({ id, parent }) => [Number(id), Number(parent)] as const), ...moved])
  return rows.flatMap(({ id }, at): ReadonlyArray<Conflict> => {
    if (!moved.has(id)) return []
    const seen = new Set<number>()
    for (let up = parents.get(id); up !== undefined && !seen.has(up); up = parents.get(up)) seen.add(up)
    return seen.has(id) ? [{ at, errors: { parent: [`Cannot assign self or child ${type.label} as parent.`] } }] : []
  })
})
