/** The first user, made at the first start or by `rackwire createsuperuser`. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, reveal } from "../Config.ts"
import { hashPassword } from "../inventory/Vault.ts"
import { objectType } from "../inventory/Registry.ts"
import { create } from "../inventory/write/Write.ts"
import { auditPasswords } from "./Audit.ts"
import { guessableProblem } from "./password/ContextWords.ts"

const author = { username: "", requestId: "00000000-0000-0000-0000-000000000000" }

/** Makes the configured superuser if there is none yet. Returns the password if it was generated. */
export const ensureSuperuser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { superuserName, superuserPassword, superuserApiToken, passwordWords } = yield* Settings
  const existing = yield* sql`select 1 as one from users_user where is_superuser limit 1`
  if (existing.length > 0) return undefined
  const chosen = superuserPassword === undefined ? "" : reveal(superuserPassword)
  // An empty variable must not make a user without a password.
  const generated = chosen === "" ? randomBytes(12).toString("base64url") : undefined
  const password = generated ?? chosen
  const problem = guessableProblem(password, [...passwordWords, superuserName])
  if (generated === undefined && problem !== undefined) {
    yield* Effect.logWarning("SUPERUSER_PASSWORD is easy to guess: change it before others can log in.")
  }
  yield* createSuperuser(superuserName, password, { by: "rackwire serve", isTemporary: generated !== undefined })
  if (superuserApiToken !== undefined) yield* giveToken(superuserName, reveal(superuserApiToken))
  return generated
})

/**
 * Makes a superuser, or makes the existing user of this name a superuser with this password. A temporary password
 * must be changed before the user can do anything else with a browser. `by`: the command, for the audit.
 */
export const createSuperuser = Effect.fnUntraced(function* (
  username: string,
  password: string,
  { by, isTemporary = false }: { readonly by: string; readonly isTemporary?: boolean }
) {
  const sql = yield* SqlClient.SqlClient
  const exists = yield* hasUser(username)
  const hash = yield* Effect.promise(() => hashPassword(password))
  yield* sql`
    insert into users_user (username, password, temporary_password, is_superuser, is_staff)
    values (${username}, ${hash}, case when ${isTemporary} then md5(${hash}) else '' end, true, true)
    on conflict (username) do update
       set password = excluded.password, temporary_password = excluded.temporary_password, is_superuser = true,
           is_staff = true, is_active = true`
  if (exists) yield* auditPasswords([username], { ...author, username: by }, undefined)
})

/** Returns the id of the user of this name; undefined without one. */
export const userIdOf = Effect.fnUntraced(function* (username: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`
    select id::text as id from users_user where username = ${username}`
  return row === undefined ? undefined : Number(row.id)
})

export const hasUser = Effect.fnUntraced(function* (username: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 as one from users_user where username = ${username}`).length > 0
})

const giveToken = Effect.fnUntraced(function* (username: string, key: string) {
  const body = { user: { username }, key, description: "SUPERUSER_API_TOKEN" }
  yield* create(objectType("users.token"), [body], author)
})
