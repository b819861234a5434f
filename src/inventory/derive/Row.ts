/** Declaration -> rows: what Postgres gives, as JSON or as text, to canonical values by field name. */
import type { Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"

/** The row that `row_to_json` of the type's table gave. */
export const rowFromJson = (type: ObjectType, json: Readonly<Record<string, unknown>>): Row => {
  const row: Record<string, unknown> = { id: json["id"] }
  for (const name in type.fields) {
    const value = json[type.columns[name]!]
    row[name] = value === null || value === undefined ? null : type.fields[name]!.fromJson(value)
  }
  return row as Row
}

/** Values by column name, as the table keeps them. */
export const columnsOf = (
  type: ObjectType,
  row: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const json: Record<string, unknown> = { id: row["id"] }
  for (const name in type.fields) json[type.columns[name]!] = row[name]
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
    return field === undefined ? undefined : { field, decode: type.fields[field]!.fromText }
  })
}

/** What the fields hold that none of these columns brings: what the declaration fills in, as the migration did. */
export const absentFields = (type: ObjectType, columns: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(type.fields)
      .filter(([name]) => !columns.includes(type.columns[name]!))
      .map(([name, { initial }]) => [name, initial?.() ?? null])
  )
