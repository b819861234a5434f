/**
 * Deliveries that people discard.
 *
 * The API sets the row to `discarded`. The row of a delivery that waits for its next attempt keeps `next_attempt` until
 * a process that delivers has removed it from Redis. An attempt in flight continues, and the row gets its outcome.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { Streams } from "../queue/Streams.ts"

/** Discards those of the deliveries that have not ended; returns their ids. `operation`: of which it is a part. */
export const askForDiscard = Effect.fnUntraced(function* (ids: ReadonlyArray<number>, operation?: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    with asked as (
      update extras_delivery set status = 'discarded', operation_id = ${operation ?? null}::text::bigint
       where id = any (${asTexts(ids)}::text[]::bigint[]) and status in ('queued', 'retrying', 'failed') returning id)
    select id::text as id, pg_notify(${announceChannel}, 'extras.delivery ' || id)::text as told from asked`
  return rows.map(({ id }) => Number(id))
})

/** Deliveries removed at once. */
const pageSize = 500

interface DiscardedRow {
  readonly id: string
  readonly webhook_id: string
  readonly delivery_id: string
  readonly object: string
  readonly entry: string | null
}

/** Removes discarded deliveries from Redis. */
export const dropDiscarded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const streams = yield* Streams
  while (true) {
    const page = yield* sql.unsafe<DiscardedRow>(
      `select id::text as id, webhook_id::text as webhook_id, delivery_id, object_type || ' ' || object_id as object,
              case when attempts = 0 and delivery_id = webhook_id || '-' || position || '-' || idx
                   then position || '-' || idx end as entry
         from extras_delivery where status = 'discarded' and next_attempt is not null limit ${pageSize}`
    )
    if (page.length === 0) return
    for (const [webhook, rows] of Map.groupBy(page, (row) => Number(row.webhook_id))) {
      yield* streams.drop(
        webhook,
        rows.map(({ delivery_id: id, object, entry }) => ({ id, object, ...(entry !== null && { entryId: entry }) }))
      )
    }
    yield* sql`
      update extras_delivery set next_attempt = null
       where id = any (${page.map(({ id }) => id)}::text[]::bigint[]) and status = 'discarded'`
  }
})
