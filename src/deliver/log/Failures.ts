/** Deliveries that fail, by cause. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Where } from "../../inventory/derive/filter/Where.ts"

/** Most groups that are returned, the largest first. */
const groupsMax = 200

/** Failed and retrying deliveries that meet the condition, grouped by cause. */
export const failureGroups = ({ sql: condition, parameters }: Where) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .unsafe<{ readonly group: object }>(
        `select json_build_object('webhook', webhook_id, 'status', status, 'reason', reason,
                  'response_status', response_status, 'count', count(*), 'first', min(last_attempt),
                  'last', max(last_attempt), 'message', max(message), 'example', max(id)) as "group"
           from extras_delivery t where (${condition}) and status in ('failed', 'retrying') and reason <> ''
          group by webhook_id, status, reason, response_status order by count(*) desc limit ${groupsMax}`,
        parameters
      )
      .pipe(Effect.map((rows) => rows.map(({ group }) => group)))
  )
