/**
 * Sign-in by a trusted proxy's header.
 *
 * Guarantees: a request that changes something needs a session or a token beside the header, because a browser sends the
 * proxy's cookie with requests of any site; a session that began by the header is valid only with the same header.
 * Runs only if the request has neither: a signed-in request costs no further statement.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { digest } from "../../inventory/Vault.ts"
import { auditLogin } from "../Audit.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "../Authenticate.ts"
import { Denied } from "../Denied.ts"
import { alignGroups } from "../directory/DirectoryGroups.ts"
import type { Principal } from "../Principal.ts"
import { begin, end, endOldestByProxy, isLive, renewProxyMark } from "../Session.ts"
import { initialRules, syncedRules } from "./ProxyRules.ts"
import { type ProxyUser, proxyMark } from "./ProxyUser.ts"

/** The request that brings the header. */
interface Visit {
  /** The cookie of a session, valid or not. */
  readonly session: string | undefined
  readonly address: string | undefined
  readonly agent: string | undefined
  /** `begin`: a session begins; `read`: the header alone is enough; `refuse`: the request needs a session of this user. */
  readonly without: "begin" | "read" | "refuse"
}

interface FoundHere extends FoundUser {
  /** Whether the session of the request is one of this user. */
  readonly continues: boolean
}

/**
 * The sender whom the proxy names; `begun` of it is set if a session began. Fails with `Denied` if the user is unknown,
 * inactive or cannot be created, or if the request needs a session.
 */
export const signInByProxy = Effect.fnUntraced(function* (sent: ProxyUser, visit: Visit) {
  const { session, address, agent, without } = visit
  const known = yield* find(sent.name, session)
  // Another user's session ends, whether the new user is let in or not.
  if (session !== undefined && known?.continues !== true) yield* end(session)
  if (known?.continues !== true && without === "refuse") return yield* new Denied({ reason: "ProxyWrite" })
  const found = known ?? (yield* create(sent, address))
  const { id, is_active } = userOf(found)
  if (!is_active) return yield* new Denied({ reason: "InactiveUser" })
  // A new user has its groups already.
  const isChanged = known !== undefined && (yield* aligned(id, sent, address))
  const current = isChanged ? ((yield* find(sent.name, session)) ?? found) : found
  const principal: Principal = { user: userOf(current), mayWrite: true, permissions: yield* permissionsOf(current) }
  const mark = proxyMark(sent)
  if (session !== undefined && current.continues) {
    yield* renewProxyMark(session, mark)
    return { ...principal, session }
  }
  if (without !== "begin") return { ...principal, mayWrite: false }
  const { key, seconds } = yield* begin(id, undefined, { address, agent, proxyMark: mark })
  yield* endOldestByProxy(id)
  yield* auditLogin("logged in by the header of a proxy", sent.name, address)
  return { ...principal, session: key, begun: seconds } satisfies Principal
})

const find = Effect.fnUntraced(function* (name: string, session: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundHere>`
    select ${sql.literal(userColumns)},
           exists (select from rackwire_session s
                    where s.digest = ${session === undefined ? "" : digest(session)} and s.user_id = u.id
                      and ${yield* isLive}) as continues
      from users_user u where u.username = ${name}`
  return found
})

const requestId = "00000000-0000-0000-0000-000000000000"

/** The source of groups in rackwire_directory_grant. */
const source = "proxy"

/** Brings the groups of the user in line, if they follow a header, and returns whether the row of the user changed. */
const aligned = Effect.fnUntraced(function* (user: number, { name, groups }: ProxyUser, address: string | undefined) {
  if (groups === undefined) return false
  return yield* align(user, name, { source, names: groups, rules: syncedRules(yield* Settings) }, address)
})

const align = Effect.fnUntraced(function* (
  user: number,
  name: string,
  names: Parameters<typeof alignGroups>[1],
  address: string | undefined
) {
  const author = { username: name, requestId }
  const { isChanged } = yield* alignGroups(user, names, { address, author }).pipe(
    Effect.catchTag("DirectoryRefused", ({ detail }) => new Denied({ reason: "ProxyGroups", fault: detail }))
  )
  return isChanged
})

/** A new user without a password, with its groups and permissions: all of it or nothing. */
const create = Effect.fnUntraced(function* (sent: ProxyUser, address: string | undefined) {
  const { name, groups } = sent
  const sql = yield* SqlClient.SqlClient
  const options = yield* Settings
  if (!options.remoteAuthCreateUsers) return yield* new Denied({ reason: "ProxyUserUnknown" })
  // No hash has this form, so no password fits; it differs by user because sessions end with their user's hash.
  const unusable = `!${randomBytes(30).toString("base64url")}`
  const isCreated = yield* sql.withTransaction(
    Effect.gen(function* () {
      const [row] = yield* sql<{ readonly id: string }>`
        insert into users_user (username, password)
        select ${name}, ${unusable}
         where not exists (
           select from users_user u where lower(normalize(u.username, NFKC)) = lower(normalize(${name}::text, NFKC)))
        on conflict (username) do nothing returning id::text as id`
      if (row === undefined) return false
      yield* aligned(Number(row.id), sent, address)
      if (groups === undefined) yield* giveDefaults(row.id, name, address)
      return true
    })
  )
  if (isCreated) yield* auditLogin("was created by the header of a proxy", name, address)
  // Another request may have created the user meanwhile.
  return (yield* find(name, undefined)) ?? (yield* new Denied({ reason: "ProxyUserSimilar" }))
})

/** Gives a new user the default groups and permissions. */
const giveDefaults = Effect.fnUntraced(function* (user: string, name: string, address: string | undefined) {
  const options = yield* Settings
  const { remoteAuthDefaultGroups, remoteAuthDefaultPermissions = {} } = options
  if (remoteAuthDefaultGroups.length > 0) {
    yield* align(Number(user), name, { source, names: [], rules: initialRules(options) }, address)
  }
  yield* grantDefaults(user, remoteAuthDefaultPermissions)
})

/** Gives a user an object permission for each name, like `dcim.view_site`. The start has checked them. */
const grantDefaults = Effect.fnUntraced(function* (user: string, permissions: Readonly<Record<string, unknown>>) {
  const sql = yield* SqlClient.SqlClient
  for (const [name, constraints] of Object.entries(permissions)) {
    const [, app = "", action = "", model = ""] = /^(\w+)\.([a-z]+)_(\w+)$/.exec(name) ?? []
    yield* sql`
      insert into users_objectpermission (name, enabled, object_types, actions, constraints, users)
      values (${name.slice(0, 100)}, true, array[${`${app}.${model}`}], array[${action}],
              ${constraints === null ? null : JSON.stringify(constraints)}::jsonb, array[${user}::bigint])`
  }
})
