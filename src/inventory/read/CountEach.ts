/** Counts of several conditions at once. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { visibleToSender } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import { type Where, after, allOf } from "../derive/filter/Where.ts"

interface CountQuery {
  readonly type: ObjectType
  readonly where: Where
}

/**
 * How many objects the reader may see of those that meet each condition, in one statement. Each count stops at `max`:
 * the exact count of a large table would take longer than the rest of a page.
 */
export const countEach = Effect.fnUntraced(function* (asked: ReadonlyArray<CountQuery>, max: number) {
  if (asked.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const visible = yield* visibleToSender
  const parameters: Array<unknown> = []
  const counts = asked.map(({ type, where }) => {
    const both = allOf(where, visible(type))
    const condition = after(parameters.length, both)
    parameters.push(...both.parameters)
    return `(select count(*)::int from (select from ${type.table} t where ${condition} limit ${max}) found)`
  })
  const [row] = yield* sql.unsafe<{ readonly counts: ReadonlyArray<number> }>(
    `select to_json(array[${counts.join(", ")}]) as counts`,
    parameters
  )
  return row!.counts
})
