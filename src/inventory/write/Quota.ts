/** Limits of how many objects of a type may refer to the same object, held against writes at the same time. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import type { Errors, Row } from "../Field.ts"
import { type ObjectType, fieldOf } from "../ObjectType.ts"
import { objectType } from "../Registry.ts"
import { WriteRefused } from "./WriteRefused.ts"
import { asTexts } from "../derive/filter/Where.ts"

/**
 * Fails if the rows, which the transaction has just written, exceed the quota of their type. Rows that keep what they
 * referred to `before` are not counted against it, so that objects over a lowered quota can still be changed.
 */
export const staysWithinQuota = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<Row>,
  before: ReadonlyArray<Row> = []
) {
  const { quota } = type
  if (quota === undefined) return
  const max = quota.max(yield* Settings)
  const held = new Map(before.map((row) => [row.id, row[quota.field]]))
  const added = rows.filter(({ id, [quota.field]: owner }) => owner !== null && held.get(id) !== owner)
  if (added.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const owners = asTexts(new Set(added.map((row) => Number(row[quota.field]))))
  // Two transactions that add for the same owner do not see each other's rows: the second one waits, then counts.
  yield* sql.unsafe(
    `select id::text as id from ${objectType(fieldOf(type, quota.field).reference!.type).table}
      where id = any ($1::text[]::bigint[]) order by id for no key update`,
    [owners]
  )
  const column = type.columns[quota.field]
  const over = yield* sql.unsafe<{ readonly id: string }>(
    `select ${column}::text as id from ${type.table} where ${column} = any ($1::text[]::bigint[])
      group by ${column} having count(*) > $2::int`,
    [owners, max]
  )
  if (over.length === 0) return
  const full = new Set(over.map(({ id }) => Number(id)))
  const refused: Errors = { [quota.field]: [quota.message(max)] }
  const errors = rows.map((row) => (added.includes(row) && full.has(Number(row[quota.field])) ? refused : {}))
  return yield* new WriteRefused({ errors })
})
