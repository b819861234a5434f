/** The change log in its order, from a place on, page by page. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Where, allOf } from "../inventory/derive/filter/Where.ts"
import { type LoggedEvent, loggedEvent, pageOf } from "./LoggedEvent.ts"

/** The place of an event in the change log, as texts. */
export type Place = Pick<LoggedEvent, "position" | "idx">

/** The next events after a place that meet a condition over `c`, up to `limit`; fewer if they are long, none at the end. */
export const eventsAfter = Effect.fnUntraced(function* ({ position, idx }: Place, condition: Where, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const { sql: where, parameters } = allOf(condition, {
    sql: "(c.position, c.idx) > ($1::text::bigint, $2::text::bigint)",
    parameters: [position, idx]
  })
  return yield* sql.unsafe<LoggedEvent>(
    pageOf(
      `select ${loggedEvent} from extras_objectchange c where ${where} order by c.position, c.idx limit ${limit}`,
      "position::bigint, idx::bigint"
    ),
    parameters
  )
})

/**
 * The same up to a place.
 *
 * Postgres must walk the index of places. Left to itself, it may sort all remaining events for each page: it estimates
 * their number by the first part of a place alone, from statistics that may be older than the events.
 */
export const eventsUpTo = Effect.fnUntraced(function* (after: Place, until: Place, condition: Where, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const walks = sql`select set_config('enable_sort', 'off', true)`
  const where = allOf(condition, {
    sql: "(c.position, c.idx) <= ($1::text::bigint, $2::text::bigint)",
    parameters: [until.position, until.idx]
  })
  return yield* sql.withTransaction(Effect.andThen(walks, eventsAfter(after, where, limit)))
})
