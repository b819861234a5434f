/** Writes changed rows, which every rule has admitted. */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Row } from "../Field.ts"
import type { ObjectType } from "../ObjectType.ts"
import { writtenFields } from "../derive/values/InsertStatement.ts"
import { columnsOf, rowFromJson } from "../derive/values/Row.ts"
import type { Author } from "./Transaction.ts"

/**
 * Records the names of users whose password an author replaces, in the transaction that replaces it. The server of HTTP
 * provides the record of the audit; without one nothing is recorded.
 */
export const PasswordRecord = Context.Reference<
  (users: ReadonlyArray<string>, author: Author) => Effect.Effect<void, never, SqlClient.SqlClient>
>("rackwire/inventory/PasswordRecord", { defaultValue: () => () => Effect.void })

/** Writes of each row the columns that differ from the row before, all in one statement. */
export const replace = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  before: ReadonlyArray<Row>,
  author: Author
) {
  const sql = yield* SqlClient.SqlClient
  const written = writtenFields(type)
  const changed = rows.map((row, at) =>
    written.filter((name) => JSON.stringify(row[name]) !== JSON.stringify(before[at]![name]))
  )
  const sets = [...new Set(changed.flat())].map((name) => {
    const column = type.columns[name]
    if (changed.every((names) => names.includes(name))) return `${column} = j.${column}`
    return `${column} = case when c.names ? '${name}' then j.${column} else t.${column} end`
  })
  const after = yield* sql.unsafe<{ readonly row: Readonly<Record<string, unknown>> }>(
    // A write that changes nothing is an event too, as in NetBox.
    `update ${type.table} t set ${sets.length === 0 ? "id = t.id" : sets.join(", ")}
       from jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j
       join jsonb_array_elements($2::jsonb) with ordinality c(names, number) on c.number = j.ordinality
      where t.id = j.id returning row_to_json(t) as row`,
    [JSON.stringify(rows.map((row) => columnsOf(type, row))), JSON.stringify(changed)]
  )
  const users = usersWithNewPassword(type, rows, before)
  if (users.length > 0) yield* (yield* PasswordRecord)(users, author)
  return new Map(after.map(({ row }) => rowFromJson(type, row)).map((row) => [row.id, row]))
})

/** A password that is sent again has another hash, so it counts as a new one. */
const usersWithNewPassword = (type: ObjectType, rows: ReadonlyArray<Row>, before: ReadonlyArray<Row>) =>
  type.id === "users.user"
    ? rows.filter((row, at) => row["password"] !== before[at]!["password"]).map((row) => String(row["username"]))
    : []
