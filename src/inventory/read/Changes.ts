/**
 * The change log without the snapshots of objects, which may have megabytes; and the values of one change, each cut
 * in the database.
 */
import { Effect } from "effect"
import { parseExactly } from "../../postgres/ExactJson.ts"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import { type RowOf, isDictionary } from "../Field.ts"
import { objectType, registry } from "../Registry.ts"
import { type Where, allOf, isEverything, whereIds } from "../derive/filter/Where.ts"
import { tagType } from "../derive/represent/Masked.ts"
import { rowFromJson } from "../derive/values/Row.ts"
import type ObjectChange from "../types/extras/ObjectChange.ts"
import { snapshotsAsSeen } from "./SeenTags.ts"

export const changeType = objectType<typeof ObjectChange>("extras.objectchange")

const columns = `t.id, t.time, t.user_name, t.request_id, t.action, t.changed_object_type, t.changed_object_id,
  t.object_repr, t.message, t.source, t.position || '-' || t.idx as place`

export interface Change extends RowOf<typeof ObjectChange> {
  /** Its position in the write-ahead log, and the number within its transaction. */
  readonly place: string
}

interface Page {
  readonly where: Where
  readonly order: "oldest first" | "newest first"
  readonly limit: number
  readonly offset?: number
}

/** The changes that the reader may view. Their data is left out. */
export const changes = Effect.fnUntraced(function* ({ where, order, limit, offset = 0 }: Page) {
  const sql = yield* SqlClient.SqlClient
  const { sql: condition, parameters } = allOf(where, yield* cleared(changeType, "view"))
  const direction = order === "newest first" ? " desc" : ""
  const rows = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `select row_to_json(c) as row from (
       select ${columns} from ${changeType.table} t where ${condition}
        order by t.time${direction}, t.id${direction} limit ${limit} offset ${offset}) c`,
    parameters
  )
  return rows.map(({ row }): Change => ({ ...rowFromJson(changeType, row), place: String(row["place"]) }))
})

/** Object types whose rows say themselves what happened. */
const appendOnly = [...registry.values()].flatMap(({ id, isAppendOnly }) => (isAppendOnly ? [id] : []))

/** The changes without those of append-only types: their list would repeat rows that have a list of their own. */
export const withoutAppendOnly: Where = {
  sql: "t.changed_object_type <> all ($1::text[])",
  parameters: [appendOnly]
}

/** The changes of an object. */
export const changesOf = (type: string, id: number): Where => ({
  sql: "t.changed_object_type = $1 and t.changed_object_id = $2::bigint",
  parameters: [type, `${id}`]
})

/** The neighbours of a change in the history of its object. */
export const neighbours = Effect.fnUntraced(function* (change: Change) {
  const { changed_object_type: type, changed_object_id: id } = change
  const beside = (sign: "<" | ">", order: Page["order"]) =>
    changes({
      where: allOf(changesOf(type, id), {
        // Alone, the first comparison leaves out days that cannot hold one.
        sql: `t.time ${sign}= $1::timestamptz and (t.time, t.id) ${sign} ($1::timestamptz, $2::bigint)`,
        parameters: [change.time, `${change.id}`]
      }),
      order,
      limit: 1
    })
  const [[previous], [next]] = [yield* beside("<", "newest first"), yield* beside(">", "oldest first")]
  return { previous, next }
})

/** Most characters of a value that are read. */
const valueLengthMax = 10_000

/** Most fields of an object that are read. */
const fieldsMax = 300

export interface ChangedField {
  readonly name: string
  readonly isChanged: boolean
  readonly before: Value
  readonly after: Value
}

/** A value; undefined where there is none. A text that was cut has its beginning alone. */
export interface Value {
  readonly value: unknown
  /** Length of the whole value, characters, if this is its beginning alone. */
  readonly cutFrom: number | undefined
}

interface Side {
  readonly type: string | null
  readonly text: string | null
  readonly length: number
}

export interface FoundField {
  readonly name: string
  readonly changed: boolean
  readonly before: Side
  readonly after: Side
}

/** SQL: the fields of a column of JSON, in their order. */
export const fieldsOf = (column: string): string =>
  `(select e.key, e.ordinality, json_typeof(e.value) as type,
           case json_typeof(e.value) when 'string' then e.value #>> '{}' else e.value::text end as text
      from json_each(case when json_typeof(t.${column}) = 'object' then t.${column} end) with ordinality e)`

/** SQL: the value of a field on one side, of which so many characters are read. */
export const sideOf = (alias: string, lengthMax: number): string =>
  `json_build_object('type', ${alias}.type, 'text', left(${alias}.text, ${lengthMax}), 'length', coalesce(length(${alias}.text), 0))`

/** The fields of a change, before and after it, in the order of the declaration. */
export const changedFields = Effect.fnUntraced(function* ({ id, time }: Pick<Change, "id" | "time">) {
  const sql = yield* SqlClient.SqlClient
  const where = allOf(
    whereIds([id]),
    { sql: "t.time = $1::timestamptz", parameters: [time] },
    yield* cleared(changeType, "view")
  )
  const rows = yield* sql.unsafe<{ readonly field: FoundField }>(
    `select f.field from ${changeType.table} t cross join lateral (
       select coalesce(a.ordinality, b.ordinality) as place,
              json_build_object('name', coalesce(a.key, b.key), 'before', ${sideOf("b", valueLengthMax)}, 'after', ${sideOf("a", valueLengthMax)},
                'changed', (b.type, b.text) is distinct from (a.type, a.text)) as field
         from ${fieldsOf("prechange_data")} b full join ${fieldsOf("postchange_data")} a on a.key = b.key) f
      where ${where.sql} order by f.place limit ${fieldsMax}`,
    where.parameters
  )
  const fields = rows.map(({ field: { name, changed, before, after } }): ChangedField => ({
    name,
    isChanged: changed,
    before: valueOf(before, valueLengthMax),
    after: valueOf(after, valueLengthMax)
  }))
  return yield* tagsAsSeen(fields)
})

/** The fields with the names of the tags that the reader may see. A list that was cut is not shown to limited readers. */
export const tagsAsSeen = Effect.fnUntraced(function* <F extends ChangedField>(fields: ReadonlyArray<F>) {
  if (isEverything(yield* cleared(objectType(tagType), "view"))) return fields
  const named = fields.filter(({ name }) => name === "tags")
  const seen = yield* snapshotsAsSeen(
    named.flatMap(({ before, after }) => [{ tags: before.value }, { tags: after.value }])
  )
  const side = ({ cutFrom }: Value, tags: unknown): Value => ({
    value: cutFrom === undefined ? tags : undefined,
    cutFrom: undefined
  })
  return fields.map((field): F => {
    const at = named.indexOf(field)
    if (at < 0) return field
    const shown = { before: side(field.before, seen[2 * at]!.tags), after: side(field.after, seen[2 * at + 1]!.tags) }
    return { ...field, ...shown, isChanged: JSON.stringify(shown.before) !== JSON.stringify(shown.after) }
  })
})

/** The value of a side, of which so many characters were read. */
export const valueOf = ({ type, text, length }: Side, lengthMax: number): Value => {
  if (type === null || text === null) return { value: undefined, cutFrom: undefined }
  if (length > lengthMax) return { value: text, cutFrom: length }
  return { value: type === "string" ? text : parseExactly(text), cutFrom: undefined }
}

/** Largest state of an object that is read whole, characters. */
export const stateLengthMax = 1024 * 1024

/** The fields of the object before a change as the reader may see them; undefined where there are none, or too long ones. */
export const stateBefore = Effect.fnUntraced(function* ({ id, time }: Change) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly state: Readonly<Record<string, unknown>> | null }>(
    `select case when length(t.prechange_data::text) <= ${stateLengthMax} then t.prechange_data end as state
       from ${changeType.table} t where t.id = $1::bigint and t.time = $2::timestamptz`,
    [`${id}`, time]
  )
  const [state] = yield* snapshotsAsSeen([found?.state])
  return isDictionary(state) ? state : undefined
})
