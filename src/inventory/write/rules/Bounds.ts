/** The objects that the author of a write may leave behind. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Action, OutOfBounds, cleared } from "../../Clearance.ts"
import type { Row } from "../../Field.ts"
import type { ObjectType } from "../../ObjectType.ts"
import { allOf, isEverything, whereIds } from "../../derive/filter/Where.ts"

/** Fails if the author may not write the rows in the state that they have now. */
export const staysWithin = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<Row>, action: Action) {
  const allowed = yield* cleared(type, action)
  if (isEverything(allowed) || rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const where = allOf(whereIds(rows.map(({ id }) => id)), allowed)
  const within = yield* sql.unsafe(`select id from ${type.table} t where ${where.sql}`, where.parameters)
  if (within.length < rows.length) return yield* new OutOfBounds({ objectType: type.id })
})
