/** The state of the engine in three numbers, for the head of every page. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { isAlive } from "../../postgres/Presence.ts"

export interface Gauges {
  /** Lag of the process that leads; null while none does. */
  readonly lagMillis: number | null
  readonly queued: number
  /** Failed deliveries that the reader may view, counted up to `countedMax`. */
  readonly failed: number
}

export const gaugesOf = Effect.fnUntraced(function* (countedMax: number) {
  const sql = yield* SqlClient.SqlClient
  const failed = allOf({ sql: "t.status = 'failed'", parameters: [] }, yield* cleared(deliveryType, "view"))
  const [row] = yield* sql.unsafe<Gauges>(
    `select (select max((parts #>> '{capture,lagMillis}')::float8) from rackwire_process
              where ${yield* isAlive} and parts #>> '{capture,leads}' = 'true') as "lagMillis",
            (select coalesce(sum(queued + pending + waiting), 0)::float8 from ${backlogTable.name}) as queued,
            (select count(*)::int from (select from ${deliveryType.table} t where ${failed.sql} limit ${countedMax}) f) as failed`,
    failed.parameters
  )
  return row!
})
