/**
 * Counts of lists. Exact, and yet a long list costs no scan per page.
 *
 * A page that is not full tells the count by itself. Another is counted; where there is much to count, the answer is
 * used again for a moment, as long as this process has written nothing: how long is in proportion to what it cost, so
 * that counting takes a small part of the time however often it is asked for.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import { type Where, allOf } from "../derive/filter/Where.ts"

/** Rows from which on a count is used again. */
const manyRows = 10_000

/** How many times as long as counting took its answer is used. */
const worth = 20

/** Most counts that are kept; the oldest goes first. */
const keptMax = 1000

interface Kept {
  readonly count: number
  readonly until: number
}

const kept = new Map<string, Kept>()

/** Rises with every write, so that what was counted meanwhile is not kept. */
let writes = 0

/** Forgets what was counted: something was written. */
export const forgetCounts = Effect.sync(() => {
  writes += 1
  kept.clear()
})

export const count = Effect.fnUntraced(function* (type: ObjectType, wanted: Where) {
  const where = allOf(wanted, yield* cleared(type, "view"))
  const key = `${type.table} ${where.sql} ${JSON.stringify(where.parameters)}`
  const began = yield* Clock.currentTimeMillis
  const known = kept.get(key)
  if (known !== undefined && known.until > began) return known.count
  const written = writes
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly count: string }>(
    `select count(*)::text as count from ${type.table} t where ${where.sql}`,
    where.parameters
  )
  const counted = Number(rows[0]!.count)
  kept.delete(key)
  if (counted >= manyRows && written === writes) {
    const now = yield* Clock.currentTimeMillis
    kept.set(key, { count: counted, until: now + worth * (now - began) })
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!)
  }
  return counted
})

interface Bounds {
  readonly limit: number | undefined
  readonly offset: number
}

/** How many rows there are in all, when a page within these bounds brought so many. */
export const countBeside = (type: ObjectType, where: Where, { limit, offset }: Bounds, rows: number) => {
  const ends = limit === undefined || rows < limit
  return ends && (rows > 0 || offset === 0) ? Effect.succeed(offset + rows) : count(type, where)
}
