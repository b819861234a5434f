/**
 * Authentication: from a request's credentials to who sends it.
 *
 * Responsible for tokens and passwords. Guarantees: one indexed query per request; a wrong password and an unknown user
 * take the same time; a revoked or expired token fails at the next request. Does not: decide what its user may do
 * (Permission.ts).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digestToken, hashPassword, verifyPassword } from "../Vault.ts"
import type { Row } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import { rowFromJson } from "../inventory/derive/Row.ts"
import { Denied } from "./Denied.ts"
import { type Permission, type Principal, anonymous } from "./Principal.ts"

/** Who the header's token belongs to; anonymous without a header, or with one of another scheme. */
export const authenticate = Effect.fnUntraced(function* (header: string | undefined) {
  const key = yield* keyOf(header)
  return key === undefined ? anonymous : yield* ownerOf(key)
})

const keyOf = (header: string | undefined): Effect.Effect<string | undefined, Denied> => {
  const words = (header ?? "").trim().split(/\s+/)
  if (words[0]?.toLowerCase() !== "token") return Effect.succeed(undefined)
  if (words.length === 1) return new Denied({ reason: "EmptyHeader" })
  if (words.length > 2) return new Denied({ reason: "SpacesInHeader" })
  // oxlint-disable-next-line no-control-regex
  if (/[^\x00-\x7f]/.test(words[1]!)) return new Denied({ reason: "CharactersInHeader" })
  return Effect.succeed(words[1]!)
}

interface Found {
  readonly id: string
  readonly user: Readonly<Record<string, unknown>>
  readonly permissions: ReadonlyArray<Permission>
  readonly write_enabled: boolean
  readonly expired: boolean
  readonly stale: boolean
}

const ownerOf = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Found>`
    select t.id::text as id, row_to_json(u) as user, ${permissionsOf(sql)} as permissions, t.write_enabled, coalesce(t.expires <= now(), false) as expired,
           coalesce(t.last_used < now() - interval '1 minute', true) as stale
      from users_token t join users_user u on u.id = t.user_id
     where t.key = ${digestToken(key)}`
  if (found === undefined) return yield* new Denied({ reason: "UnknownToken" })
  // Known to the minute, so that reading costs no writes; and nobody waits for it.
  if (found.stale) {
    yield* Effect.forkDetach(
      Effect.ignore(sql`update users_token set last_used = now() where id = ${found.id}::bigint`)
    )
  }
  if (found.expired) return yield* new Denied({ reason: "ExpiredToken" })
  const user = rowFromJson(objectType("users.user"), found.user)
  if (user["is_active"] !== true) return yield* new Denied({ reason: "InactiveUser" })
  return { user, mayWrite: found.write_enabled, permissions: found.permissions } satisfies Principal
})

/** What was granted to the user `u` and to its groups, as JSON; nothing for a superuser, who needs no permission. */
const permissionsOf = (sql: SqlClient.SqlClient) =>
  sql.literal(`
  case when u.is_superuser then '[]'::json else coalesce((
    select json_agg(json_build_object('types', p.object_types, 'actions', p.actions, 'constraints', p.constraints))
      from users_objectpermission p
     where p.enabled and (p.users @> array[u.id] or p.groups && u.groups)), '[]'::json) end`)

/** What an unknown user's password is compared with, so that the answer takes as long as for a known one. */
const nobody = hashPassword("nobody has this password")

/** The user of this name and password, if active. */
export const verify = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Pick<Found, "user" | "permissions">>`
    select row_to_json(u) as user, ${permissionsOf(sql)} as permissions
      from users_user u where username = ${username}`
  const user: Row | undefined = found === undefined ? undefined : rowFromJson(objectType("users.user"), found.user)
  const stored = user === undefined ? yield* Effect.promise(() => nobody) : String(user["password"])
  const right = yield* Effect.promise(() => verifyPassword(password, stored))
  if (user === undefined || !right || user["is_active"] !== true) return yield* new Denied({ reason: "WrongPassword" })
  return { user, mayWrite: true, permissions: found!.permissions } satisfies Principal
})
