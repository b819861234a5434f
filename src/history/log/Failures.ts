/** Deliveries that fail, by cause. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { type Where, isEverything } from "../../inventory/derive/filter/Where.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type ChangedBefore, changedBefore } from "../../changelog/ChangedBefore.ts"

/** Most groups that are returned, the largest first. */
const groupsMax = 200

/** Most groups of which the last change of the webhook is searched for. */
const explainedMax = 50

/** Most deliveries that are read; the counts stop there. */
const failuresMax = 100_000

interface Group {
  /** Id of the webhook, and its name; null where it was deleted. */
  readonly webhook: number
  readonly webhook_name: string | null
  readonly status: "failed" | "retrying"
  readonly reason: string
  readonly response_status: number | null
  readonly count: number
  /** When one of them was attempted first and last, ISO 8601. */
  readonly first: string
  readonly last: string
  /** Id of the latest delivery, and what it says. */
  readonly example: number
  readonly message: string
  /** The address of its last attempt, or of its webhook; "" if that is not known. */
  readonly url: string
}

export interface FailureGroup extends Omit<Group, "url"> {
  readonly host: string
  /** The last change of the webhook on the day before the first failure; null if there was none, or it is hidden. */
  readonly changed_before: ChangedBefore | null
}

/**
 * SQL: whether `t` is a delivery that failed, or waits after a failed attempt. Its indexes have only unsuccessful
 * deliveries. No index has the expression, on purpose: beside a filter by status Postgres would count on far fewer rows
 * than there are, and fetch each from the table.
 */
export const isFailure = `t.status <> 'successful' and t.status || '' in ('failed', 'retrying') and t.reason <> ''`

/** Failed and retrying deliveries that meet the condition, grouped by cause. The condition shows visible ones only. */
export const failureGroups = Effect.fnUntraced(function* ({ sql: condition, parameters }: Where) {
  const sql = yield* SqlClient.SqlClient
  // A template may have taken the host from an object that is hidden from the reader (AttemptsInSight.ts).
  const seesAll = isEverything(yield* cleared(objectType("extras.delivery"), "view"))
  const rows = yield* sql.unsafe<{ readonly group: Group }>(
    `select json_build_object('webhook', g.webhook_id, 'webhook_name', w.name, 'status', g.status, 'reason', g.reason,
              'response_status', g.response_status, 'count', g.count, 'first', g.first, 'last', g.last,
              'example', g.example, 'message', coalesce(d.message, ''),
              'url', coalesce(${seesAll ? "a.url, " : ""}w.payload_url, '')) as "group"
       from (select webhook_id, status, reason, response_status, count(*) as count, max(id) as example,
                    min(coalesce(last_attempt, time)) as first, max(coalesce(last_attempt, time)) as last
               from (select t.webhook_id, t.status, t.reason, t.response_status, t.last_attempt, t.time, t.id
                       from extras_delivery t
                      where (${condition}) and ${isFailure}
                      limit ${failuresMax}) found
              group by 1, 2, 3, 4
              order by count(*) desc, max(id) desc limit ${groupsMax}) g
       left join extras_webhook w on w.id = g.webhook_id
       left join lateral (select message, delivery_id, time from extras_delivery d where d.id = g.example limit 1) d on true
       left join lateral (select url from rackwire_attempt a where a.delivery_id = d.delivery_id and a.time = d.time
                           order by number desc limit 1) a on true
      order by g.count desc, g.example desc`,
    parameters
  )
  const groups = rows.map(({ group }) => group)
  const changes = yield* changedBefore(groups.slice(0, explainedMax))
  return groups.map(({ url, ...group }, at): FailureGroup => ({
    ...group,
    host: hostOf(url),
    changed_before: changes.get(at) ?? null
  }))
})

const hostOf = (url: string): string => URL.parse(url)?.host ?? ""
