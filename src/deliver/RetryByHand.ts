/**
 * Deliveries that somebody wants attempted again.
 *
 * The API asks with a transaction (`askForRetry`): the row becomes `queued` and its id is announced. A process that
 * delivers takes it up: it rebuilds the event from the change log and puts it among the waiting deliveries, due now.
 * Putting it there twice is the same as once, so a crash in between costs nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type EventText, eventBody } from "../capture/Event.ts"
import { announceChannel } from "../inventory/Functions.ts"
import { objectType } from "../inventory/Registry.ts"
import { type Delivery } from "../stream/Entry.ts"
import { Streams } from "../stream/Streams.ts"

export const deliveryType = objectType("extras.delivery")

/** Asks for another attempt of these deliveries; its retry schedule begins anew. Answers the ids that exist. */
export const askForRetry = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    with asked as (
      update extras_delivery set status = 'queued', next_attempt = null
       where id = any (${ids}::bigint[]) returning id)
    select id::text as id, pg_notify(${announceChannel}, ${`${deliveryType.id} `} || id)::text as told from asked`
  return rows.map(({ id }) => Number(id))
})

interface Asked {
  readonly id: string
  readonly delivery_id: string
  readonly webhook_id: string
  readonly position: string
  readonly idx: string
  readonly event: EventText["kind"]
  readonly object_type: string
  readonly object_id: string
  readonly request_id: string
  readonly time: string
  readonly attempts: string
  readonly first_attempt: string | null
  readonly user_name: string
  readonly data: string
  readonly prechange: string
  readonly postchange: string
}

/** Takes up what was asked for; answers the webhooks for which something is due now. */
export const takeUpRetries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const streams = yield* Streams
  const asked = yield* sql<Asked>`
    select d.id::text as id, d.delivery_id, d.webhook_id::text as webhook_id, d.position::text as position,
           d.idx::text as idx, d.event, d.object_type, d.object_id::text as object_id, d.request_id::text as request_id,
           to_char(c.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as time, d.attempts::text as attempts,
           (extract(epoch from d.first_attempt) * 1000)::bigint::text as first_attempt,
           c.user_name, c.data::text as data, c.prechange_data::text as prechange, c.postchange_data::text as postchange
      from extras_delivery d join extras_objectchange c on c.position = d.position and c.idx = d.idx
     where d.status = 'queued' limit 1000`
  for (const [webhook, rows] of Map.groupBy(asked, (row) => Number(row.webhook_id))) {
    yield* streams.hold(webhook, rows.map(deliveryOf))
    yield* sql`
      update extras_delivery set status = 'retrying', next_attempt = now()
       where id = any (${rows.map(({ id }) => Number(id))}::bigint[]) and status = 'queued'`
  }
  return new Set(asked.map((row) => Number(row.webhook_id)))
})

const deliveryOf = (row: Asked): Delivery => ({
  id: row.delivery_id,
  webhook: Number(row.webhook_id),
  position: row.position,
  idx: Number(row.idx),
  event: row.event,
  objectType: row.object_type,
  objectId: Number(row.object_id),
  requestId: row.request_id,
  time: row.time,
  attempts: Number(row.attempts),
  spent: 0,
  firstAttempt: Number(row.first_attempt ?? 0),
  body: eventBody({
    kind: row.event,
    timestamp: row.time,
    model: row.object_type.split(".")[1]!,
    username: row.user_name,
    requestId: row.request_id,
    json: { data: row.data, prechange: row.prechange, postchange: row.postchange }
  })
})
