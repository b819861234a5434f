/** The deliveries before and after one: of the same webhook, and of the same object. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { type Where, allOf, nothing } from "../../inventory/derive/filter/Where.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

export interface Placed {
  readonly id: number
  readonly time: string
  readonly webhook: number | null
  readonly object_type: string
  readonly object_id: number
}

export interface Neighbours {
  readonly previous: number | null
  readonly next: number | null
}

/** The property that the neighbours share, as a condition. */
const shared = {
  webhook: ({ webhook }: Placed): Where =>
    webhook === null ? nothing : { sql: "t.webhook_id = $1::bigint", parameters: [`${webhook}`] },
  object: ({ object_type: type, object_id: id }: Placed): Where => ({
    sql: "t.object_type = $1 and t.object_id = $2::bigint",
    parameters: [type, `${id}`]
  })
} as const

/** The neighbours that the current user may view, in the order of the changes. */
export const neighboursOf = Effect.fnUntraced(function* (delivery: Placed, of: keyof typeof shared) {
  const sql = yield* SqlClient.SqlClient
  const visible = yield* cleared(deliveryType, "view")
  const beside = Effect.fnUntraced(function* (sign: "<" | ">") {
    const direction = sign === "<" ? " desc" : ""
    const { sql: condition, parameters } = allOf(
      shared[of](delivery),
      {
        // Alone, the first comparison leaves out days that cannot have one.
        sql: `t.time ${sign}= $1::timestamptz and (t.time, t.id) ${sign} ($1::timestamptz, $2::bigint)`,
        parameters: [delivery.time, `${delivery.id}`]
      },
      visible
    )
    // Values and no join: Postgres has statistics of how many deliveries a webhook has on each day, and chooses the index by that.
    const [found] = yield* sql.unsafe<{ readonly id: string }>(
      `select t.id::text as id from extras_delivery t where ${condition}
        order by t.time${direction}, t.id${direction} limit 1`,
      parameters
    )
    return found === undefined ? null : Number(found.id)
  })
  return { previous: yield* beside("<"), next: yield* beside(">") } satisfies Neighbours
})
