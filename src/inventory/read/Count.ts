/**
 * Counts of lists. Exact, and yet a long list costs no scan per page. Above `countedMax` the count of a log, which has a
 * partition for each day, is the planner's estimate; for users who may not see all of it, that bound itself.
 *
 * A page that is not full gives the count by itself. Other lists are counted. A large count is kept for a moment, until
 * this process writes something: for a time in proportion to its cost, so that counting takes a small part of the time
 * however often clients request it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { keepNewest } from "../../eventloop/KeepNewest.ts"
import { type Clearance, cleared } from "../Clearance.ts"
import type { ObjectType } from "../ObjectType.ts"
import { type Where, allOf, isEverything } from "../derive/filter/Where.ts"

/** Rows from which on a count is kept. */
const manyRows = 10_000

/** How many times as long as counting took the count is kept. */
const worth = 20

/** Most counts that are kept; the oldest goes first. */
const keptMax = 1000

/** Rows of a log that are counted. */
const countedMax = 100_000

interface CachedCount {
  readonly count: number
  readonly until: number
}

export class Counts extends Context.Service<
  Counts,
  {
    /** How many objects of the type meet the condition, of those that the sender may see. */
    readonly count: (
      type: ObjectType,
      wanted: Where
    ) => Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient | Clearance>
    /** Forgets the kept counts, because something was written. */
    readonly forget: Effect.Effect<void>
  }
>()("rackwire/inventory/Counts") {
  static readonly layer = Layer.sync(Counts, () => {
    const kept = new Map<string, CachedCount>()
    /** Rises with every write, so that a count from before a write is not kept. */
    let writes = 0
    return Counts.of({
      count: Effect.fnUntraced(function* (type, wanted) {
        const where = allOf(wanted, yield* cleared(type, "view"))
        const key = `${type.table} ${where.sql} ${JSON.stringify(where.parameters)}`
        const began = yield* Clock.currentTimeMillis
        const known = kept.get(key)
        if (known !== undefined && known.until > began) return known.count
        const written = writes
        const sql = yield* SqlClient.SqlClient
        const most = type.daily ? ` limit ${countedMax + 1}` : ""
        const [found] = yield* sql.unsafe<{ readonly count: string }>(
          `select count(*)::text as count from (select from ${type.table} t where ${where.sql}${most}) t`,
          where.parameters
        )
        const isMore = type.daily && Number(found?.count) > countedMax
        const estimate = isMore && isEverything(yield* cleared(type, "view")) ? yield* estimated(type, where) : 0
        const counted = Math.max(Number(found?.count), estimate)
        kept.delete(key)
        if (counted >= manyRows && written === writes) {
          const now = yield* Clock.currentTimeMillis
          kept.set(key, { count: counted, until: now + worth * (now - began) })
          keepNewest(kept, keptMax)
        }
        return counted
      }),
      forget: Effect.sync(() => {
        writes += 1
        kept.clear()
      })
    })
  })
}

/** How many rows the planner expects. */
const estimated = Effect.fnUntraced(function* (type: ObjectType, { sql: condition, parameters }: Where) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<Plan>(
    `explain (format json) select from ${type.table} t where ${condition}`,
    parameters
  )
  return row?.["QUERY PLAN"][0]?.Plan["Plan Rows"] ?? 0
})

interface Plan {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: { readonly "Plan Rows": number } }>
}

interface Bounds {
  readonly limit: number | undefined
  readonly offset: number
}

/** How many objects there are in all, when a page within these bounds brought so many rows. */
export const countBeside = Effect.fnUntraced(function* (
  type: ObjectType,
  where: Where,
  { limit, offset }: Bounds,
  rows: number
) {
  const ends = limit === undefined || rows < limit
  if (ends && (rows > 0 || offset === 0)) return offset + rows
  const { count } = yield* Counts
  return yield* count(type, where)
})
