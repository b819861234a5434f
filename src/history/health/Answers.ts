/** How the deliveries of a webhook ended lately, by the receiver's answer. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Newest deliveries that are counted. */
export const answersCountedMax = 10_000

export interface Answers {
  readonly status: string
  /** Status of the last attempt; null where there was no answer. */
  readonly code: number | null
  /** Why the last attempt failed; "" if it did not. */
  readonly reason: string
  readonly count: number
}

/** The largest groups first, of the webhook's newest deliveries of the last 24 hours. */
export const answersOf = (webhook: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Answers>`
      select status, response_status::int as code, coalesce(reason, '') as reason, count(*)::int as count
        from (select status, response_status, reason from extras_delivery
               where webhook_id = ${webhook}::bigint and time > now() - interval '24 hours'
               order by time desc limit ${answersCountedMax}) newest
       group by 1, 2, 3 order by 4 desc limit 20`
  )
