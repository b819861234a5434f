/** The webhooks that cover an object type. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"

const webhookType = objectType("extras.webhook")

export interface Covering {
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly paused: boolean
  /** The kinds of events that it fires for. */
  readonly kinds: ReadonlyArray<string>
}

/** The first `max` webhooks by name that cover the type and that the reader may view. */
export const coveringWebhooks = Effect.fnUntraced(function* (type: ObjectType, max: number) {
  const sql = yield* SqlClient.SqlClient
  const covers = { sql: "t.source_id is null and t.content_types @> array[$1::text]", parameters: [type.id] }
  const where = allOf(covers, yield* cleared(webhookType, "view"))
  const rows = yield* sql.unsafe<{ readonly webhook: Covering }>(
    `select json_build_object('id', t.id, 'name', t.name, 'enabled', t.enabled, 'paused', t.paused, 'kinds',
              array_remove(array[case when t.type_create then 'created' end, case when t.type_update then 'updated' end,
                                 case when t.type_delete then 'deleted' end], null)) as webhook
       from ${webhookType.table} t where ${where.sql} order by t.name limit ${max}`,
    where.parameters
  )
  return rows.map(({ webhook }) => webhook)
})
