/** The queue of each webhook: what waits for it, and what failed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { watermarkTable } from "../../queue/reconcile/Watermarks.ts"

/** Most failed deliveries that are counted, of all these webhooks together. */
export const failedMax = 100_000

export interface Queue {
  /** Id of the webhook. */
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  /** Deliveries in the queue, those that a process leases, and those that wait for their next attempt. */
  readonly queued: number
  readonly sending: number
  readonly waiting: number
  /** Deliveries that used up their retries; counted up to `failedMax`. */
  readonly failed: number
  /** When the oldest change that is queued or sent was committed, ISO 8601; null if nothing is, or if it is not known. */
  readonly oldest: string | null
  /** When the queue was measured last, ISO 8601; null if it was empty then. */
  readonly looked: string | null
}

/** The queues of these webhooks, by their names. */
export const queuesOf = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly queue: Queue }>(
    `with failed as (
       select f.webhook_id, count(*) as count
         from (select t.webhook_id from extras_delivery t
                where t.status = 'failed' and t.webhook_id = any ($1::text[]::bigint[])
                limit ${failedMax}) f
        group by f.webhook_id)
     select json_build_object('id', w.id, 'name', w.name, 'enabled', w.enabled, 'paused', w.paused,
              'queued', coalesce(b.queued, 0), 'sending', coalesce(b.pending, 0), 'waiting', coalesce(b.waiting, 0),
              'failed', coalesce(f.count, 0),
              'oldest', case when b.queued + b.pending > 0 then
                (select c.time from ${watermarkTable.name} m cross join lateral (
                   select time from extras_objectchange c where (c.position, c.idx) >= (m.open_position, m.open_idx)
                    order by c.position, c.idx limit 1) c
                  where m.webhook_id = w.id and m.open_position > 0) end,
              'looked', b.looked) as queue
       from extras_webhook w left join ${backlogTable.name} b on b.webhook_id = w.id
       left join failed f on f.webhook_id = w.id
      where w.id = any ($1::text[]::bigint[]) order by w.name, w.id`,
    [asTexts(webhooks)]
  )
  return rows.map(({ queue }) => queue)
})
