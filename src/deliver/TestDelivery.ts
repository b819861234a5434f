/** A real past event sent to a webhook to try it, whatever its condition says. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { announceChannel } from "../inventory/Functions.ts"
import { insertUnattempted } from "./DeliveryRows.ts"
import { type LoggedEvent, deliveryOf, loggedEvent } from "./LoggedEvent.ts"

/**
 * Queues the change of this id, or the latest of an object type that the webhook names; answers the delivery's row, or
 * undefined where there is no such change. Its id is its own, so it is not taken for the delivery that the event gave.
 */
export const askForTest = Effect.fnUntraced(function* (webhook: number, requestId: string, change: number | undefined) {
  const sql = yield* SqlClient.SqlClient
  const [event] = yield* sql.unsafe<LoggedEvent>(
    `select ${loggedEvent} from extras_objectchange c, extras_webhook w
      where w.id = $1::bigint and (c.id = $2::text::bigint or ($2::text is null and c.changed_object_type = any (w.content_types)))
      order by c.position desc, c.idx desc limit 1`,
    [webhook, change === undefined ? null : `${change}`]
  )
  if (event === undefined) return undefined
  const delivery = deliveryOf(event, webhook)
  const id = `${delivery.id}-t${requestId.slice(0, 8)}`
  yield* insertUnattempted([{ ...delivery, id }])
  const [row] = yield* sql<{ readonly id: string }>`
    select id::text as id, pg_notify(${announceChannel}, 'extras.delivery ' || id)::text as told
      from extras_delivery where delivery_id = ${id}`
  return Number(row!.id)
})
