/** The paused webhooks for which deliveries wait. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { objectType } from "../../inventory/Registry.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

const webhookType = objectType("extras.webhook")

interface HeldWebhook {
  readonly id: number
  readonly name: string
  readonly waiting: number
}

/** The visible ones with most waiting deliveries; none for readers who may not view every delivery. */
export const heldWebhooks = Effect.fnUntraced(function* (most: number) {
  if (!isEverything(yield* cleared(deliveryType, "view"))) return []
  const sql = yield* SqlClient.SqlClient
  const where = yield* cleared(webhookType, "view")
  return yield* sql.unsafe<HeldWebhook>(
    `select t.id::float8 as id, t.name, (b.queued + b.pending + b.waiting)::float8 as waiting
       from ${webhookType.table} t join ${backlogTable.name} b on b.webhook_id = t.id
      where t.paused and t.enabled and b.queued + b.pending + b.waiting > 0 and (${where.sql})
      order by b.queued + b.pending + b.waiting desc, t.id limit ${most}`,
    where.parameters
  )
})
