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
