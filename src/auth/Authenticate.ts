/**
 * Authentication: from a request's credentials to who sends it.
 *
 * Responsible for sessions and tokens; passwords are in Password.ts. Guarantees: one indexed query for a token or a
 * session, permissions included; what was revoked or has expired fails at the next request, in every process. Does not:
 * decide what its user may do (Permission.ts).
 */
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { SqlClient } from "effect/sql"
import { digest, digestToken } from "../Vault.ts"
import { objectType } from "../inventory/Registry.ts"
import { rowFromJson } from "../inventory/derive/Row.ts"
import { parseNetwork } from "../inventory/field/Networks.ts"
import { auditTokenUse } from "./Audit.ts"
import { Denied } from "./Denied.ts"
import { type Permission, type Principal, anonymous } from "./Principal.ts"
import { isLive } from "./Session.ts"
import { usualRights } from "./UsualRights.ts"

export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | undefined
  /** The cookie of a session. */
  readonly session: string | undefined
  /** The client's address. */
  readonly address: string | undefined
}

/**
 * Who these credentials are of; anonymous where there are none. A session wins over a token, which is not even looked at
 * then.
 */
export const authenticate = Effect.fnUntraced(function* ({ authorization, session, address }: Credentials) {
  const known = session === undefined ? undefined : yield* ofSession(session)
  if (known !== undefined) return known
  const key = yield* keyOf(authorization)
  return key === undefined ? anonymous : yield* ofToken(key, address)
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

/** A user `u` with what was granted to it and to its groups; a superuser needs no permission. */
export const userColumns = `
  row_to_json(u) as user,
  case when u.is_superuser then '[]'::json else coalesce((
    select json_agg(json_build_object('types', p.object_types, 'actions', p.actions, 'constraints', p.constraints))
      from users_objectpermission p
     where p.enabled and (p.users @> array[u.id] or p.groups && u.groups)), '[]'::json) end as permissions`

export interface FoundUser {
  readonly user: Readonly<Record<string, unknown>>
  readonly permissions: ReadonlyArray<Permission>
}

export const permissionsOf = ({ permissions }: FoundUser) =>
  Effect.map(usualRights, (usual) => [...usual, ...permissions])

export const userOf = ({ user }: FoundUser) => rowFromJson(objectType("users.user"), user)

interface FoundToken extends FoundUser {
  readonly id: string
  readonly write_enabled: boolean
  readonly allowed_ips: ReadonlyArray<string>
  readonly expired: boolean
  readonly stale: boolean
}

const ofToken = Effect.fnUntraced(function* (key: string, address: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundToken>`
    select t.id::text as id, t.write_enabled, t.allowed_ips, coalesce(t.expires <= now(), false) as expired,
           coalesce(t.last_used < now() - interval '1 minute', true) as stale, ${sql.literal(userColumns)}
      from users_token t join users_user u on u.id = t.user_id
     where t.key = ${digestToken(key)}`
  if (found === undefined) return yield* new Denied({ reason: "UnknownToken" })
  const user = userOf(found)
  if (found.stale) yield* Effect.forkDetach(noteUse(found.id, user["username"], address))
  if (found.expired) return yield* new Denied({ reason: "ExpiredToken" })
  if (user["is_active"] !== true) return yield* new Denied({ reason: "InactiveUser" })
  if (found.allowed_ips.length > 0) yield* permit(found.allowed_ips, address)
  return { user, mayWrite: found.write_enabled, permissions: yield* permissionsOf(found) } satisfies Principal
})

/** Once a minute, so that reading costs no writes; of requests at the same time one writes. Nobody waits for it. */
const noteUse = (id: string, name: unknown, address: string | undefined) => Effect.ignore(noted(id, name, address))

const noted = Effect.fnUntraced(function* (id: string, name: unknown, address: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const written = yield* sql`
    update users_token set last_used = now()
     where id = ${id}::bigint and (last_used is null or last_used < now() - interval '1 minute') returning id`
  if (written.length > 0) yield* auditTokenUse(id, name, address)
})

const permit = (allowed: ReadonlyArray<string>, text: string | undefined): Effect.Effect<void, Denied> => {
  const address =
    text === undefined ? undefined : Result.getOrUndefined(NetAddress.ipFromString(text.replace(/%.*/, "")))
  if (address === undefined) return new Denied({ reason: "NoAddress" })
  const canonical = NetAddress.toCanonical(address)
  const inside = allowed.some((each) => {
    const network = parseNetwork(each)
    return network !== undefined && IpNetwork.contains(network, canonical)
  })
  return inside ? Effect.void : new Denied({ reason: "SourceAddress", address: NetAddress.formatIp(canonical) })
}

const ofSession = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundUser>`
    select ${sql.literal(userColumns)}
      from rackwire_session s join users_user u on u.id = s.user_id
     where s.digest = ${digest(key)} and ${sql.literal(isLive)}`
  if (found === undefined) return undefined
  return {
    user: userOf(found),
    mayWrite: true,
    permissions: yield* permissionsOf(found),
    session: key
  } satisfies Principal
})
