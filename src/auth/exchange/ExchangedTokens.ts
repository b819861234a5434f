/** Tokens that were given in exchange. Those that have expired are deleted, so that they do not use up a user's quota. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Clearance } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import type { Author } from "../../inventory/write/Transaction.ts"
import { create, remove } from "../../inventory/write/Write.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { Denied } from "../Denied.ts"
import type { Exchangeable } from "./TokenExchange.ts"

export const exchangedTokenTable: Table = {
  name: "rackwire_exchanged_token",
  daily: false,
  columns: [{ name: "token_id", type: "bigint", nullable: false }],
  constraints: [
    { name: "rackwire_exchanged_token_key", sql: "unique (token_id)" },
    {
      name: "rackwire_exchanged_token_token_id_fkey",
      sql: "foreign key (token_id) references users_token (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

const type = objectType("users.token")

/** Most expired tokens that one exchange deletes. */
const deletedMax = 100

/**
 * Makes a token for the user of the rule. Fails with `Denied` if there is no such active user; with `WriteRefused` if the
 * user has too many tokens.
 */
export const giveToken = Effect.fnUntraced(function* ({ rule, subject }: Exchangeable, author: Author) {
  const sql = yield* SqlClient.SqlClient
  const [user] = yield* sql<{ readonly id: string }>`
    select id::text as id from users_user where username = ${rule.user} and is_active`
  if (user === undefined) return yield* new Denied({ reason: "InactiveUser" })
  const expired = yield* sql<{ readonly id: string }>`
    select t.id::text as id from rackwire_exchanged_token e join users_token t on t.id = e.token_id
     where t.user_id = ${user.id}::bigint and t.expires < now() order by t.id limit ${deletedMax}::int`
  const seconds = rule.minutes * 60
  const body = {
    user: Number(user.id),
    write_enabled: rule.write,
    expires: new Date((yield* Clock.currentTimeMillis) + seconds * 1000).toISOString(),
    description: `For ${subject}`.slice(0, 200)
  }
  return yield* Effect.gen(function* () {
    if (expired.length > 0)
      yield* remove(
        type,
        expired.map(({ id }) => Number(id)),
        author
      )
    const [made] = yield* create(type, [body], { ...author, username: rule.user })
    const id = Number(made!.row["id"])
    yield* sql`insert into rackwire_exchanged_token (token_id) values (${id}::bigint)`
    return { id, key: String(made!.shown["key"]), seconds }
    // The operator decided by the rule that the machine gets a token of this user.
  }).pipe(sql.withTransaction, Effect.provideService(Clearance, Clearance.all))
})
