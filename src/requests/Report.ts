/** The outcomes of an operation's deliveries, as far as they are known now. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { openBreakerOf } from "../log/BreakerTable.ts"
import { sendingTable } from "./Sending.ts"

export interface Report {
  /** Attempted since the operation was requested. */
  readonly sent: number
  /** Sent deliveries that the receiver accepted. */
  readonly accepted: number
  /** Held by a circuit breaker, or since their webhook or all sending is paused. */
  readonly held: number
  /** About to be attempted. */
  readonly waiting: number
  /** Their webhook or their event was deleted. */
  readonly gone: number
  /** Attempted or changed by others before their turn: left as they were. */
  readonly changed: number
}

/** Undefined for an operation that retries nothing. */
export const reportOf = Effect.fnUntraced(function* (operation: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly report: Report }>(
    `with asked as (
       select id, asked, coalesce(gone, 0) as gone,
              case when status in ('queued', 'running') then 0
                   else greatest(total - done - coalesce(gone, 0), 0) end as changed
         from extras_operation where id = $1::bigint and action = 'retry' and not dry_run),
     each as (
       select d.webhook_id, d.status, d.last_attempt >= a.asked as is_sent,
              d.status in ('queued', 'retrying', 'sending') as is_open, count(*) as count
         from asked a join extras_delivery d on d.operation_id = a.id group by 1, 2, 3, 4),
     holding as (
       select w.webhook_id as id, not v.enabled or v.paused or exists (select from ${sendingTable.name})
              or ${yield* openBreakerOf("w.webhook_id")} is not null as holds
         from (select distinct webhook_id from each) w join extras_webhook v on v.id = w.webhook_id),
     counted as (
       select sum(count) filter (where is_sent) as sent,
              sum(count) filter (where is_sent and status = 'successful') as accepted,
              sum(count) filter (where is_sent is not true and is_open and holds) as held,
              sum(count) filter (where is_sent is not true and is_open and not holds) as waiting,
              sum(count) filter (where is_sent is not true and (not is_open or holds is null)) as gone
         from each left join holding h on h.id = webhook_id)
     select json_build_object('sent', coalesce(sent, 0), 'accepted', coalesce(accepted, 0), 'held', coalesce(held, 0),
              'waiting', coalesce(waiting, 0), 'gone', coalesce(c.gone, 0) + a.gone, 'changed', a.changed) as report
       from asked a cross join counted c`,
    [`${operation}`]
  )
  return row?.report
})
