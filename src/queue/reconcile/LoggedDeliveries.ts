/** Deliveries of the delivery log with their events of the change log, as they are queued again. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type LoggedEvent, loggedDelivery, loggedEvent, pageOf } from "../../changelog/LoggedEvent.ts"
import { eventsAsSeen, viewersAmong } from "../../changelog/SeenEvents.ts"
import type { Delivery } from "../../event/Delivery.ts"
import type { DropReason } from "../../event/Outcome.ts"
import { Streams } from "../Streams.ts"

/** Deliveries read at once. */
const pageSize = 1000

/** A delivery's row with its event. */
export interface LoggedDelivery extends LoggedEvent {
  readonly id: string
  readonly delivery_id: string
  readonly webhook_id: string
  /** Ids of the users whose view it is bound to: the user who requested it, and the scope of its webhook. */
  readonly asked_by: string | null
  readonly scope_user: string | null
  readonly is_urgent: boolean
  readonly attempts: string
  /** Milliseconds since 1970. */
  readonly first_attempt: string | null
  /** Milliseconds from now; negative when it is overdue. */
  readonly due_in: string | null
}

/**
 * A page of deliveries that meet a condition over `d`, with their events, in the order of their ids. Deliveries whose
 * event is no longer in the change log are left out.
 */
export const loggedDeliveries = (condition: string, parameters: ReadonlyArray<unknown>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<LoggedDelivery>(
      pageOf(
        `select d.id::text as id, d.delivery_id, d.webhook_id::text as webhook_id, d.attempts::text as attempts,
              d.asked_by::text as asked_by, d.is_urgent, w.scope_user_id::text as scope_user,
              (extract(epoch from d.first_attempt) * 1000)::bigint::text as first_attempt,
              (extract(epoch from d.next_attempt - now()) * 1000)::bigint::text as due_in, ${loggedEvent}
         from extras_delivery d
         join extras_objectchange c on c.position = d.position and c.idx = d.idx and c.time = d.time
         left join extras_webhook w on w.id = d.webhook_id
        where ${condition} order by d.id limit ${pageSize}`,
        "id::bigint"
      ),
      parameters
    )
  )

const hidden: DropReason = {
  reason: "Hidden",
  message: "The user for whom it would be sent may not view the object."
}

/** Returns the deliveries that may be sent; those whose object a user may no longer view are discarded. */
export const withoutHidden = Effect.fnUntraced(function* (rows: ReadonlyArray<LoggedDelivery>) {
  const shown = yield* eventsAsSeen(rows, (row) => viewersAmong(row.asked_by, row.scope_user))
  if (shown.length === rows.length) return shown
  const sql = yield* SqlClient.SqlClient
  const gone = new Set(rows.map(({ id }) => id)).difference(new Set(shown.map(({ id }) => id)))
  yield* sql`
    update extras_delivery set status = 'discarded', reason = ${hidden.reason}, message = ${hidden.message}, next_attempt = null
     where id = any (${[...gone]}::text[]::bigint[])`
  return shown
})

/**
 * Adds the deliveries to those that wait for their next attempt. `anew`: their retry schedule begins again, and they
 * are due now. `first`: nothing else of their objects is sent before them.
 */
export const holdLogged = Effect.fnUntraced(function* (
  rows: ReadonlyArray<LoggedDelivery>,
  { anew, first }: { readonly anew: boolean; readonly first: boolean }
) {
  const streams = yield* Streams
  for (const [webhook, each] of Map.groupBy(yield* withoutHidden(rows), (row) => Number(row.webhook_id))) {
    const delayed = each.map((row) => ({
      delayMillis: anew ? 0 : Math.max(Number(row.due_in ?? 0), 0),
      delivery: loggedDeliveryOf(row, webhook, anew)
    }))
    yield* streams.delay(webhook, delayed, first)
  }
})

export const loggedDeliveryOf = (row: LoggedDelivery, webhook: number, anew: boolean): Delivery => ({
  ...loggedDelivery(row, webhook),
  // The id of a replay differs from that of its event.
  id: row.delivery_id,
  attempts: Number(row.attempts),
  spent: anew ? 0 : Number(row.attempts),
  firstAttempt: anew ? 0 : Number(row.first_attempt ?? 0)
})
