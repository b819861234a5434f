/**
 * Authentication: from a request's credentials to its sender.
 *
 * Responsible for sessions and tokens; passwords are in Password.ts. Guarantees: one indexed query for a token or a
 * session, permissions included; a revoked or expired one fails at the next request, in every process. Does not: decide
 * what the sender may do (Permission.ts).
 *
 * The sender of a token is cached with a premise, never as an answer: a read may start from it, and the statement that
 * reads checks in Postgres that the token still gives exactly the same (KnownTokens.ts, inventory/read/Premise.ts).
 */
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { SqlClient } from "effect/sql"
import { digest, digestToken } from "../inventory/Vault.ts"
import { objectType } from "../inventory/Registry.ts"
import { rowFromJson } from "../inventory/derive/values/Row.ts"
import { parseIpNetwork } from "../inventory/field/Networks.ts"
import { auditTokenUse } from "./Audit.ts"
import { Denied } from "./Denied.ts"
import { lacksFactor } from "./factor/FactorPolicy.ts"
import {
  type KnownToken,
  KnownTokens,
  type TokenVersions,
  grants,
  isExpired,
  isStale,
  stillGives,
  versionColumns
} from "./KnownTokens.ts"
import { type ProxyUser, proxyMark } from "./proxy/ProxyUser.ts"
import { type Permission, type Principal, type UserRow, anonymous } from "./Principal.ts"
import { isFresh, isLive, isLocal, isUnnoted, noteSessionUse } from "./Session.ts"
import { UsualRights } from "./UsualRights.ts"

export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | undefined
  /** The cookie of a session. */
  readonly session: string | undefined
  /** The user whom a trusted proxy names. A session counts only with the headers that it began with. */
  readonly proxyUser: ProxyUser | undefined
  /** The client's address. */
  readonly address: string | undefined
  /** Whether somebody uses the session; a page that updates itself does not. */
  readonly isUse: boolean
}

/**
 * The sender that these credentials belong to; `anonymous` without any. Fails with `Denied` for wrong ones. Beside a
 * valid session a token is ignored.
 */
export const authenticate = Effect.fnUntraced(function* (credentials: Credentials) {
  const { authorization, session, address } = credentials
  const known = session === undefined ? undefined : yield* ofSession(session, credentials)
  if (known !== undefined) return known
  const key = keyOf(authorization)
  if (key instanceof Denied) return yield* key
  return key === undefined ? anonymous : yield* ofToken(key, address)
})

/** The key that the header `Authorization` carries; undefined where it names no token. */
const keyOf = (header: string | undefined): string | undefined | Denied => {
  const [scheme, key, ...more] = (header ?? "").trim().split(/\s+/)
  // NetBox 4.5 has Bearer.
  if (!["token", "bearer"].includes(scheme?.toLowerCase() ?? "")) return undefined
  if (key === undefined) return new Denied({ reason: "EmptyHeader" })
  if (more.length > 0) return new Denied({ reason: "SpacesInHeader" })
  // oxlint-disable-next-line no-control-regex
  return /[^\x00-\x7f]/.test(key) ? new Denied({ reason: "CharactersInHeader" }) : key
}

/** SQL: a user `u` with the permissions of that user and of the user's groups; a superuser needs none. */
export const userColumns = `
  row_to_json(u) as user,
  case when u.is_superuser then '[]'::json else coalesce((
    select json_agg(json_build_object('types', p.object_types, 'actions', p.actions, 'constraints', p.constraints))
      from users_objectpermission p where ${grants}), '[]'::json) end as permissions`

export interface FoundUser {
  readonly user: Readonly<Record<string, unknown>>
  readonly permissions: ReadonlyArray<Permission>
}

export const permissionsOf = ({ permissions }: FoundUser) =>
  Effect.map(UsualRights, (usual) => [...usual, ...permissions])

export const userOf = ({ user }: FoundUser) => rowFromJson(objectType("users.user"), user) as UserRow

interface FoundToken extends FoundUser, TokenVersions {
  readonly id: string
  readonly write_enabled: boolean
  readonly allowed_ips: ReadonlyArray<string>
  readonly expired: boolean
  readonly stale: boolean
}

/** SQL: the token of a digest (`$1`), its user and the user's permissions. */
const tokenQuery = `
  select row_to_json(found) as found from (
    select t.id::text as id, t.write_enabled, t.allowed_ips, ${isExpired} as expired, ${isStale} as stale,
           ${userColumns}, ${versionColumns}
      from users_token t join users_user u on u.id = t.user_id
     where t.key = $1) found`

const ofToken = Effect.fnUntraced(function* (key: string, address: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const token = digestToken(key)
  const [row] = yield* sql.unsafe<{ readonly found: FoundToken }>(tokenQuery, [token])
  const tokens = yield* KnownTokens
  tokens.forget(token)
  if (row === undefined) return yield* new Denied({ reason: "UnknownToken" })
  const { found } = row
  const user = userOf(found)
  if (found.stale) yield* Effect.forkDetach(noteUse(found.id, user.username, address))
  if (found.expired) return yield* new Denied({ reason: "ExpiredToken" })
  if (!user.is_active) return yield* new Denied({ reason: "InactiveUser" })
  const refused = refusedAddress(found.allowed_ips, address)
  if (refused !== undefined) return yield* refused
  const permissions = yield* permissionsOf(found)
  const principal: Principal = { user, token: Number(found.id), mayWrite: found.write_enabled, permissions }
  // A stale token must be authenticated here again, so that its use is noted.
  if (!found.stale)
    tokens.keep(token, { where: stillGives(token, user.id, found), allowed: found.allowed_ips, principal })
  return principal
})

/** A sender from the cache of tokens, valid where the premise is true. */
export type Presumed = Pick<KnownToken, "principal" | "where">

/** The sender that a token belonged to when it was used last; undefined where the token is not cached. */
export const presumed = Effect.fnUntraced(function* (authorization: string | undefined, address: string | undefined) {
  const key = keyOf(authorization)
  if (key === undefined || key instanceof Denied) return undefined
  const token = digestToken(key)
  const known = (yield* KnownTokens).get(token)
  return known === undefined || refusedAddress(known.allowed, address) !== undefined ? undefined : known
})

/**
 * Notes that a token is used. At most once a minute, so that reads cost no writes; of concurrent requests one writes.
 * Nobody waits for it, so its failure is ignored.
 */
const noteUse = Effect.fnUntraced(
  function* (id: string, name: string | null, address: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const written = yield* sql`
    update users_token set last_used = now()
     where id = ${id}::bigint and (last_used is null or last_used < now() - interval '1 minute') returning id`
    if (written.length > 0) yield* auditTokenUse(id, name, address)
  },
  (effect) => Effect.ignore(effect)
)

/** Why a token is refused from this address; undefined where the address is allowed. No networks allow any address. */
const refusedAddress = (allowed: ReadonlyArray<string>, text: string | undefined): Denied | undefined => {
  if (allowed.length === 0) return undefined
  const address =
    text === undefined ? undefined : Result.getOrUndefined(NetAddress.ipFromString(text.replace(/%.*/, "")))
  if (address === undefined) return new Denied({ reason: "NoAddress" })
  const canonical = NetAddress.toCanonical(address)
  const inside = allowed.some((each) => {
    const network = parseIpNetwork(each)
    return network !== undefined && IpNetwork.contains(network, canonical)
  })
  return inside ? undefined : new Denied({ reason: "SourceAddress", address: NetAddress.formatIp(canonical) })
}

interface FoundSession {
  readonly temporary: boolean
  readonly unnoted: boolean
  readonly local: boolean
  readonly fresh: boolean
  readonly lacking: boolean
}

const ofSession = Effect.fnUntraced(function* (key: string, { proxyUser, address, isUse }: Credentials) {
  const sql = yield* SqlClient.SqlClient
  const mark = proxyMark(proxyUser)
  const [found] = yield* sql<FoundUser & FoundSession>`
    select ${sql.literal(userColumns)}, u.temporary_password = md5(u.password) as temporary,
           ${sql.literal(isUnnoted)} as unnoted, ${sql.literal(isLocal)} as local, ${sql.literal(isFresh)} as fresh,
           ${yield* lacksFactor} as lacking
      from rackwire_session s join users_user u on u.id = s.user_id
     where s.digest = ${digest(key)} and s.proxy_mark is not distinct from ${mark} and ${yield* isLive}`
  if (found === undefined) return undefined
  if (isUse && found.unnoted) yield* Effect.forkDetach(noteSessionUse(key, address))
  return {
    user: userOf(found),
    mayWrite: true,
    permissions: yield* permissionsOf(found),
    session: key,
    isLocal: found.local,
    mustConfirm: found.local && !found.fresh,
    mustSetUpFactor: found.local && found.lacking,
    // A proxy's user may have no password to change.
    mustChangePassword: found.temporary && mark === null
  } satisfies Principal
})
