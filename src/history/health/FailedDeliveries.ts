/** The webhooks with failed deliveries. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { after } from "../../inventory/derive/filter/Where.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

const webhookType = objectType("extras.webhook")

interface FailedDeliveries {
  readonly id: number
  readonly name: string
  readonly count: number
}

interface Limits {
  /** Most failed deliveries that are counted, of all webhooks together. */
  readonly countedMax: number
  /** Most webhooks. */
  readonly namedMax: number
}

/** Failed deliveries by webhook, of the webhooks and deliveries that the reader may view; most of them first. */
export const failedDeliveries = Effect.fnUntraced(function* ({ countedMax, namedMax }: Limits) {
  const sql = yield* SqlClient.SqlClient
  const visible = yield* visibleToSender
  const [deliveries, webhooks] = [visible(deliveryType), visible(webhookType)]
  return yield* sql.unsafe<FailedDeliveries>(
    `select t.id::float8 as id, t.name, f.count::int as count
       from (select webhook_id, count(*) as count
               from (select webhook_id from ${deliveryType.table} t
                      where t.status = 'failed' and (${deliveries.sql}) limit ${countedMax}) newest
              group by webhook_id) f
       join ${webhookType.table} t on t.id = f.webhook_id
      where (${after(deliveries.parameters.length, webhooks)})
      order by f.count desc, t.name limit ${namedMax}`,
    [...deliveries.parameters, ...webhooks.parameters]
  )
})
