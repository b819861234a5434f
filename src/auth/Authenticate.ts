/**
 * Authentication: from a request's credentials to who sends it.
 *
 * Responsible for sessions and tokens; passwords are in Password.ts. Guarantees: one indexed query for a token or a
 * session, permissions included; what was revoked or has expired fails at the next request, in every process. Does not:
 * decide what its user may do (Permission.ts).
 *
 * What a token gave is remembered as a premise, never as an answer: a read may start from it and asks Postgres, in the
 * statement that reads, whether the token gives the same to the letter.
 */
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { SqlClient } from "effect/sql"
import { digest, digestToken } from "../Vault.ts"
import type { Premise } from "../inventory/Clearance.ts"
import { objectType } from "../inventory/Registry.ts"
import { rowFromJson } from "../inventory/derive/values/Row.ts"
import { parseIpNetwork } from "../inventory/field/Networks.ts"
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
 * Who these credentials are of; anonymous where there are none. A session wins over a token, which is not even looked
 * at then.
 */
export const authenticate = Effect.fnUntraced(function* ({ authorization, session, address }: Credentials) {
  const known = session === undefined ? undefined : yield* ofSession(session)
  if (known !== undefined) return known
  const key = keyOf(authorization)
  if (key instanceof Denied) return yield* key
  return key === undefined ? anonymous : yield* ofToken(key, address)
})

const keyOf = (header: string | undefined): string | undefined | Denied => {
  const words = (header ?? "").trim().split(/\s+/)
  if (words[0]?.toLowerCase() !== "token") return undefined
  if (words.length === 1) return new Denied({ reason: "EmptyHeader" })
  if (words.length > 2) return new Denied({ reason: "SpacesInHeader" })
  // oxlint-disable-next-line no-control-regex
  if (/[^\x00-\x7f]/.test(words[1]!)) return new Denied({ reason: "CharactersInHeader" })
  return words[1]!
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

/** The token of a key (`$1`), its user, and what was granted to that, as one text. */
const tokenQuery = `
  select row_to_json(found)::text as text from (
    select t.id::text as id, t.write_enabled, t.allowed_ips, coalesce(t.expires <= now(), false) as expired,
           coalesce(t.last_used < now() - interval '1 minute', true) as stale, ${userColumns}
      from users_token t join users_user u on u.id = t.user_id
     where t.key = $1) found`

const ofToken = Effect.fnUntraced(function* (key: string, address: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const token = digestToken(key)
  const [row] = yield* sql.unsafe<{ readonly text: string }>(tokenQuery, [token])
  remembered.delete(token)
  if (row === undefined) return yield* new Denied({ reason: "UnknownToken" })
  const found = JSON.parse(row.text) as FoundToken
  const user = userOf(found)
  if (found.stale) yield* Effect.forkDetach(noteUse(found.id, user["username"], address))
  if (found.expired) return yield* new Denied({ reason: "ExpiredToken" })
  if (user["is_active"] !== true) return yield* new Denied({ reason: "InactiveUser" })
  const refused = refusedAddress(found.allowed_ips, address)
  if (refused !== undefined) return yield* refused
  const principal: Principal = { user, mayWrite: found.write_enabled, permissions: yield* permissionsOf(found) }
  // A use that has to be noted must be seen here.
  if (!found.stale) remember(token, { mark: digest(row.text), allowed: found.allowed_ips, principal })
  return principal
})

interface Remembered {
  /** Digest of what the query gave: a password's hash is part of it, and parameters may be logged by Postgres. */
  readonly mark: string
  /** Networks that the token may come from. */
  readonly allowed: ReadonlyArray<string>
  readonly principal: Principal
}

/** What tokens gave when they were looked up last, by digest. */
const remembered = new Map<string, Remembered>()

/** Most tokens that are remembered; the oldest goes first. */
const rememberedMax = 1000

const remember = (token: string, known: Remembered): void => {
  remembered.set(token, known)
  if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!)
}

/** Who a token was of when it came last, and what must still hold; undefined where nothing is remembered. */
export const presumed = (
  authorization: string | undefined,
  address: string | undefined
): { readonly principal: Principal; readonly premise: Premise } | undefined => {
  const key = keyOf(authorization)
  if (key === undefined || key instanceof Denied) return undefined
  const token = digestToken(key)
  const known = remembered.get(token)
  if (known === undefined || refusedAddress(known.allowed, address) !== undefined) return undefined
  const where = {
    sql: `exists (select 1 from (${tokenQuery}) now where encode(sha256(convert_to(now.text, 'UTF8')), 'hex') = $2)`,
    parameters: [token, known.mark]
  }
  return { principal: known.principal, premise: { where, holds: false } }
}

/** Once a minute, so that reading costs no writes; of requests at the same time one writes. Nobody waits for it. */
const noteUse = (id: string, name: unknown, address: string | undefined) => Effect.ignore(noted(id, name, address))

const noted = Effect.fnUntraced(function* (id: string, name: unknown, address: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const written = yield* sql`
    update users_token set last_used = now()
     where id = ${id}::bigint and (last_used is null or last_used < now() - interval '1 minute') returning id`
  if (written.length > 0) yield* auditTokenUse(id, name, address)
})

/** Why a token that may come from these networks, or from anywhere where there are none, may not come from there. */
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

const ofSession = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundUser & { readonly temporary: boolean }>`
    select ${sql.literal(userColumns)}, u.temporary_password = md5(u.password) as temporary
      from rackwire_session s join users_user u on u.id = s.user_id
     where s.digest = ${digest(key)} and ${sql.literal(isLive)}`
  if (found === undefined) return undefined
  return {
    user: userOf(found),
    mayWrite: true,
    permissions: yield* permissionsOf(found),
    session: key,
    mustChangePassword: found.temporary
  } satisfies Principal
})
