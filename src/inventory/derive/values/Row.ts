/** Declaration -> rows: from Postgres' JSON or text to canonical values by field name. */
import type { RowOf } from "../../Field.ts"
import { type ObjectType, columnOf, fieldOf, perType } from "../../ObjectType.ts"

/**
 * An object with these keys, to be copied and filled in. V8 turns an object that grows key by key into a dictionary,
 * which is three times as slow to make, and more than twice as slow to write as JSON.
 */
export const blankOf = (keys: Iterable<string>): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(Object.fromEntries(Array.from(keys, (key) => [key, null])))) as Record<string, unknown>

const shapes = perType((type) => ({
  row: blankOf(["id", ...Object.keys(type.fields)]),
  columns: blankOf(["id", ...Object.values(type.columns)]),
  fields: Object.entries(type.fields).map(([name, { fromJson }]) => ({ name, column: columnOf(type, name), fromJson }))
}))

/** The row from `row_to_json` of the type's table. */
export const rowFromJson = <T extends ObjectType>(type: T, json: Readonly<Record<string, unknown>>): RowOf<T> => {
  const { row: blank, fields } = shapes(type)
  const row: Record<string, unknown> = { ...blank }
  row["id"] = json["id"]
  for (const { name, column, fromJson } of fields) {
    const value = json[column]
    if (value !== null && value !== undefined) row[name] = fromJson(value)
  }
  return row as RowOf<T>
}

/** Values by column name, as the table keeps them. */
export const columnsOf = (
  type: ObjectType,
  row: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const { columns: blank, fields } = shapes(type)
  const json: Record<string, unknown> = { ...blank }
  json["id"] = row["id"]
  for (const { name, column } of fields) json[column] = row[name]
  return json
}

/**
 * Compiles, for columns in the order in which the WAL brings them, how a value in Postgres' text format goes into a
 * row: a list of field name and decoder, undefined for columns that the declaration does not know.
 */
export const textDecoders = (
  type: ObjectType,
  columns: ReadonlyArray<string>
): ReadonlyArray<{ readonly field: string; readonly decode: (text: string) => unknown } | undefined> => {
  const fields = new Map(Object.entries(type.columns).map(([field, column]) => [column, field]))
  return columns.map((column) => {
    if (column === "id") return { field: "id", decode: Number }
    const field = fields.get(column)
    return field === undefined ? undefined : { field, decode: fieldOf(type, field).fromText }
  })
}

/**
 * A row to be copied and filled in from these columns: null where there is a column, elsewhere the default of the
 * declaration, as the migration fills it in.
 */
export const blankRow = (type: ObjectType, columns: ReadonlyArray<string>): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = { ...shapes(type).row }
  for (const [name, { initial }] of Object.entries(type.fields)) {
    if (!columns.includes(columnOf(type, name))) row[name] = initial?.() ?? null
  }
  return row
}
