/** A real past event sent to a webhook to try it, whatever its condition says. */
import { Effect } from "effect"
import { listenedTypesSql } from "../match/WebhookIndex.ts"
import { SqlClient } from "effect/sql"
import { eventsSeen } from "../auth/Permission.ts"
import { clearancesOf } from "../auth/Sight.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { isEvent } from "../event/Position.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { allOf, everything } from "../inventory/derive/filter/Where.ts"
import { insertUnattempted } from "../log/DeliveryRows.ts"
import { type LoggedEvent, loggedDelivery, loggedEvent } from "../changelog/LoggedEvent.ts"
import { viewersAmong } from "../changelog/SeenEvents.ts"

interface TestRequest {
  readonly webhook: number
  readonly requestId: string
  /** Id of the change to send; absent for the latest. */
  readonly change?: number | undefined
  /** Id of the requesting user. */
  readonly askedBy: number | undefined
}

/**
 * Queues the change of this id, or the latest, of those of the webhook's object types that the asker may see, and the
 * user in the webhook's scope as well. Answers the delivery's row, or undefined where there is no such change. Its id is
 * its own, so it is not taken for the delivery that the event gave.
 */
export const askForTest = Effect.fnUntraced(function* ({ webhook, requestId, change, askedBy }: TestRequest) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly types: ReadonlyArray<string>; readonly scope: string | null }>`
    select ${sql.literal(listenedTypesSql)} as types, scope_user_id::text as scope
      from extras_webhook w where id = ${webhook}::bigint`
  const { where } = yield* Clearance
  const scopes = viewersAmong(found?.scope)
  const clearances = yield* clearancesOf(new Set(scopes))
  const wanted = allOf(
    { sql: `${isEvent("c")} and c.changed_object_type = any ($1::text[])`, parameters: [found?.types ?? []] },
    change === undefined ? everything : { sql: "c.id = $1::text::bigint", parameters: [`${change}`] },
    eventsSeen(where),
    ...scopes.map((user) => eventsSeen(clearances(user).where))
  )
  const [event] = yield* sql.unsafe<LoggedEvent>(
    `select ${loggedEvent} from extras_objectchange c where ${wanted.sql} order by c.position desc, c.idx desc limit 1`,
    wanted.parameters
  )
  if (event === undefined) return undefined
  const delivery = loggedDelivery(event, webhook)
  const id = `${delivery.id}-t${requestId.slice(0, 8)}`
  yield* insertUnattempted([{ ...delivery, id }], { askedBy, isUrgent: true })
  const [row] = yield* sql<{ readonly id: string }>`
    select id::text as id, pg_notify(${announceChannel}, 'extras.delivery ' || id)::text as told
      from extras_delivery where delivery_id = ${id}`
  return Number(row!.id)
})
