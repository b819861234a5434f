/** Writes changed rows, which every rule has admitted. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { writtenFields } from "../derive/values/InsertStatement.ts"
import { columnsOf, rowFromJson } from "../derive/values/Row.ts"

export const replace = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>) {
  const sql = yield* SqlClient.SqlClient
  const sets = writtenFields(type).map((name) => `${type.columns[name]} = j.${type.columns[name]}`)
  const after = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    `update ${type.table} t set ${sets.join(", ")}
       from jsonb_populate_recordset(null::${type.table}, $1::jsonb) j where t.id = j.id
     returning row_to_json(t) as row`,
    [JSON.stringify(rows.map((row) => columnsOf(type, row)))]
  )
  return new Map(after.map(({ row }) => rowFromJson(type, row)).map((row) => [row.id, row]))
})
