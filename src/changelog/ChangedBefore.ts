/** The last change of a webhook before its deliveries began to fail: often the cause. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../inventory/Clearance.ts"
import { type Where, after, isNothing } from "../inventory/derive/filter/Where.ts"
import { changeType, changedFields } from "../inventory/read/Changes.ts"

/** SQL: whether `t` is a change in which the health of a webhook turned: no other one leaves `last_updated`. */
const isTurn = `(t.action = 'update' and t.prechange_data ->> 'last_updated' = t.postchange_data ->> 'last_updated') is true`

/** The changes of the last 24 hours, without turns of the health. */
export const editedLately: Where = { sql: `t.time > now() - interval '24 hours' and not ${isTurn}`, parameters: [] }

interface Failing {
  readonly webhook: number
  /** ISO 8601. */
  readonly first: string
}

interface ChangeRow {
  /** Place in the list of failing webhooks. */
  readonly at: number
  readonly id: number
  readonly time: string
  readonly user_name: string
  readonly action: "create" | "update" | "delete"
  readonly seconds: number
}

export interface ChangedBefore {
  /** Id of the change. */
  readonly id: number
  readonly time: string
  readonly user_name: string
  readonly action: ChangeRow["action"]
  /** The fields that an update changed. */
  readonly fields: ReadonlyArray<string>
  /** Seconds from the change to the first failure. */
  readonly seconds: number
}

/** An earlier change is no likely cause. */
const soonBefore = "1 day"

/** The last change of each webhook before its first failure that the reader may view, by its place in the list. */
export const changedBefore = Effect.fnUntraced(function* (failing: ReadonlyArray<Failing>) {
  const visible = yield* cleared(changeType, "view")
  if (isNothing(visible) || failing.length === 0) return new Map<number, ChangedBefore>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly found: ChangeRow }>(
    `select json_build_object('at', f.at - 1, 'id', c.id, 'time', c.time, 'user_name', c.user_name, 'action', c.action,
              'seconds', round(extract(epoch from f.first - c.time))) as found
       from unnest($1::text[]::bigint[], $2::text[]::timestamptz[]) with ordinality f (webhook, first, at)
      cross join lateral (
        select t.id, t.time, t.user_name, t.action from ${changeType.table} t
         where t.changed_object_type = 'extras.webhook' and t.changed_object_id = f.webhook
           and t.time <= f.first and t.time > f.first - '${soonBefore}'::interval and not ${isTurn}
           and (${after(2, visible)})
         order by t.time desc, t.id desc limit 1) c`,
    [failing.map(({ webhook }) => `${webhook}`), failing.map(({ first }) => first), ...visible.parameters]
  )
  const explained = yield* Effect.forEach(rows, ({ found: { at, ...change } }) =>
    Effect.map(
      change.action === "update" ? changedFields(change) : Effect.succeed([]),
      (fields): readonly [number, ChangedBefore] => [
        at,
        {
          ...change,
          fields: fields.filter(({ name, isChanged }) => isChanged && name !== "last_updated").map(({ name }) => name)
        }
      ]
    )
  )
  return new Map(explained)
})
