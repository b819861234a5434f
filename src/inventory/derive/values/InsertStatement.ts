/** Declaration -> the statements that insert rows from one JSON parameter and return them. Pure. */
import { literal } from "../../Field.ts"
import { type ObjectType, fieldOf } from "../../ObjectType.ts"

/** Columns that a write sets; the database fills in the others. */
export const writtenFields = (type: ObjectType): ReadonlyArray<string> =>
  Object.keys(type.fields).filter((name) => fieldOf(type, name).wire !== "read")

export const insertStatement = (type: ObjectType): string => statement(type, "", "", "")

/**
 * The same with the transaction's context as its first record in the WAL (`$2` prefix, `$3` context), for a transaction
 * of this one statement. It inserts nothing into a type that has custom fields: those have rules of their own.
 */
export const insertStatementOfItsOwn = (type: ObjectType): string => {
  const context = "with context as materialized (select pg_logical_emit_message(true, $2, $3))"
  const own = `c.content_types @> array[${literal(type.id)}]`
  const plain = `where not exists (select 1 from extras_customfield c where ${own})`
  return statement(type, context, "context, ", Object.hasOwn(type.fields, "custom_fields") ? plain : "")
}

const statement = (type: ObjectType, before: string, from: string, where: string): string => {
  const columns = writtenFields(type).map((name) => type.columns[name])
  return `${before} insert into ${type.table} (${columns.join(", ")})
     select ${columns.map((column) => `j.${column}`).join(", ")}
       from ${from}jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j
      ${where} order by j.ordinality
     returning row_to_json(${type.table}) as row`
}
