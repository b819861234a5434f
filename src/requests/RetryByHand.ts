/**
 * Retries that users request.
 *
 * The API sets the delivery's row to `queued` and notifies, in one transaction (`askForRetry`). A process that delivers
 * rebuilds the event from the change log and adds the delivery to those that wait for their next attempt, due now.
 * Adding it is idempotent, so it is simply repeated after a crash.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../inventory/derive/filter/Where.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { deliveryType } from "../log/DeliveryRows.ts"
import { absentAmong, discardDeleted } from "../queue/reconcile/Deleted.ts"
import {
  type LoggedDelivery,
  holdLogged,
  loggedDeliveries,
  loggedDeliveryOf,
  withoutHidden
} from "../queue/reconcile/LoggedDeliveries.ts"
import { Streams } from "../queue/Streams.ts"

/**
 * Requests another attempt of these deliveries, with a new retry schedule. Returns the ids of those that exist and whose
 * webhooks exist. `operation`: of which it is a part; without one the deliveries do not wait for an open circuit breaker.
 */
export const askForRetry = Effect.fnUntraced(function* (ids: ReadonlyArray<number>, operation?: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    with asked as (
      update extras_delivery
         set status = 'queued', next_attempt = null, operation_id = ${operation ?? null}::text::bigint,
             is_urgent = ${operation === undefined}
       where id = any (${asTexts(ids)}::text[]::bigint[]) and exists (select 1 from extras_webhook w where w.id = webhook_id)
      returning id)
    select id::text as id, pg_notify(${announceChannel}, ${`${deliveryType.id} `} || id)::text as told from asked`
  return rows.map(({ id }) => Number(id))
})

/** Queues deliveries of a webhook that do not wait for an open circuit breaker. */
const urgeLogged = Effect.fnUntraced(function* (
  webhook: number,
  rows: ReadonlyArray<LoggedDelivery>,
  prefer: (ids: ReadonlySet<string>) => Effect.Effect<void>
) {
  const streams = yield* Streams
  const shown = yield* withoutHidden(rows)
  if (shown.length === 0) return
  const left = yield* streams.urge(
    webhook,
    shown.map((row) => loggedDeliveryOf(row, webhook, true))
  )
  if (left.length === 0) return
  yield* prefer(new Set(left.map(({ id }) => id)))
})

/** Most deliveries of a webhook that wait in Redis before more are taken up. */
const waitingMax = 5000

/** A delivery whose event is not in the change log, any more or at all, cannot be attempted again. */
const failUnlogged = Effect.fnUntraced(function* (webhook: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update extras_delivery d
       set status = 'failed', reason = case when reason = '' then 'Expired' else reason end,
           message = case when message = '' then 'The change log no longer holds the event.' else message end
     where webhook_id = ${webhook}::bigint and status = 'queued' and not exists (
       select from extras_objectchange c where c.position = d.position and c.idx = d.idx and c.time = d.time)`
})

/**
 * Takes up the requested retries, as far as there is room. Returns the webhooks that have one due now, and those
 * that have one which does not wait for an open circuit breaker. `prefer` gets the ids of deliveries that a process may
 * hold, or that come behind others: a probe may bring them on.
 */
export const takeUpRetries = Effect.fnUntraced(function* (
  prefer: (webhook: number, ids: ReadonlySet<string>) => Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  const streams = yield* Streams
  const asking = yield* sql<{ readonly id: string }>`
    select distinct webhook_id::text as id from extras_delivery where status = 'queued'`
  const [due, urged] = [new Set<number>(), new Set<number>()]
  const webhooks = asking.map(({ id }) => Number(id))
  const absent = new Set(yield* absentAmong(webhooks))
  for (const webhook of absent) yield* discardDeleted(webhook)
  for (const webhook of webhooks.filter((id) => !absent.has(id))) {
    while ((yield* streams.depth(webhook)).waiting < waitingMax) {
      const asked = yield* loggedDeliveries("d.webhook_id = $1::bigint and d.status = 'queued'", [webhook])
      if (asked.length === 0) break
      const urgent = asked.filter((row) => row.is_urgent)
      yield* urgeLogged(webhook, urgent, (ids) => prefer(webhook, ids))
      yield* holdLogged(
        asked.filter((row) => !row.is_urgent),
        { anew: true, first: false }
      )
      yield* sql`
        update extras_delivery set status = 'retrying', next_attempt = now()
         where id = any (${asked.map(({ id }) => id)}::text[]::bigint[]) and status = 'queued'`
      due.add(webhook)
      if (urgent.length > 0) urged.add(webhook)
    }
    yield* failUnlogged(webhook)
  }
  return { due, urged }
})
