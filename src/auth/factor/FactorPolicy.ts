/** The users who need a second factor, by SECOND_FACTOR and SECOND_FACTOR_GROUPS. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"

/** SQL: whether the options require a second factor of the user `u`, who has none. */
export const lacksFactor = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { secondFactor, secondFactorGroups: groups } = yield* Settings
  if (secondFactor === "optional" && groups.length === 0) return sql`false`
  const named = sql`exists (
    select from users_group g where g.id = any (u.groups) and g.name = any (${groups}::text[]))`
  const required = { all: sql`true`, superusers: sql`(u.is_superuser or ${named})`, optional: named }[secondFactor]
  return sql`(${required} and not exists (select from rackwire_totp f where f.user_id = u.id)
    and not exists (select from rackwire_passkey f where f.user_id = u.id))`
})

/** Whether the user needs a second factor and has none. */
export const mustSetUp = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly lacks: boolean }>`
    select ${yield* lacksFactor} as lacks from users_user u where u.id = ${`${user}`}::bigint`
  return row?.lacks === true
})
