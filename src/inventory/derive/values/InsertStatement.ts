/** Declaration -> the statements that insert rows from one JSON parameter and return them. Pure. */
import { literal } from "../../../postgres/Literal.ts"
import { followsImage } from "../../image/ImageField.ts"
import { type ObjectType, fieldOf } from "../../ObjectType.ts"
import { type Where, after } from "../filter/Where.ts"

/** Columns that a write sets, those that follow from an image too; the database fills in the others. */
export const writtenFields = (type: ObjectType): ReadonlyArray<string> =>
  Object.keys(type.fields).filter((name) => fieldOf(type, name).wire !== "read" || followsImage(type, name))

export const insertStatement = (type: ObjectType): string =>
  `${statement(type, "", "")} returning row_to_json(${type.table}) as row`

/**
 * The same with the transaction's context as its first record in the WAL (`prefix` and `context`), for a transaction of
 * one statement; it gives the rows. It inserts nothing unless the premise holds, nor into a type that has custom fields:
 * those have rules of their own.
 */
export const insertPage = (
  type: ObjectType,
  [rows, prefix, context]: readonly [rows: string, prefix: string, context: string],
  premise: Where
): Where => {
  const own = `c.content_types @> array[${literal(type.id)}]`
  const isPlain = Object.hasOwn(type.fields, "custom_fields")
    ? `not exists (select 1 from extras_customfield c where ${own})`
    : "true"
  const emitted = "with context as materialized (select pg_logical_emit_message(true, $2, $3))"
  const inserted = statement(type, "context, ", `where ${isPlain} and ${after(3, premise)}`)
  return {
    sql: `${emitted} ${inserted} returning *`,
    parameters: [rows, prefix, context, ...premise.parameters]
  }
}

const statement = (type: ObjectType, from: string, where: string): string => {
  const columns = writtenFields(type).map((name) => type.columns[name])
  return `insert into ${type.table} (${columns.join(", ")})
     select ${columns.map((column) => `j.${column}`).join(", ")}
       from ${from}jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j
      ${where} order by j.ordinality`
}
