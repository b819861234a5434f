/** The first user: made at the first start, or by `rackwire createsuperuser`. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, reveal } from "../Config.ts"
import { hashPassword } from "../Vault.ts"
import { objectType } from "../inventory/Registry.ts"
import { create } from "../inventory/Write.ts"

const author = { username: "", requestId: "00000000-0000-0000-0000-000000000000" }

/** Makes the configured superuser where there is none yet. Answers the password if it had to make one up. */
export const ensureSuperuser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { superuserName, superuserPassword, superuserApiToken } = yield* Settings
  const existing = yield* sql`select 1 as one from users_user where is_superuser limit 1`
  if (existing.length > 0) return undefined
  const generated = superuserPassword === undefined ? randomBytes(12).toString("base64url") : undefined
  const password = superuserPassword === undefined ? generated! : reveal(superuserPassword)
  yield* createSuperuser(superuserName, password)
  if (superuserApiToken !== undefined) yield* giveToken(superuserName, reveal(superuserApiToken))
  return generated
})

/** Makes the user, or makes the user of this name a superuser with this password. */
export const createSuperuser = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const hash = yield* Effect.promise(() => hashPassword(password))
  yield* sql`
    insert into users_user (username, password, is_superuser, is_staff) values (${username}, ${hash}, true, true)
    on conflict (username) do update set password = excluded.password, is_superuser = true, is_staff = true, is_active = true`
})

const giveToken = Effect.fnUntraced(function* (username: string, key: string) {
  const body = { user: { username }, key, description: "SUPERUSER_API_TOKEN" }
  yield* create(objectType("users.token"), [body], author)
})
