/**
 * Sessions of users who are logged in with a browser.
 *
 * A session is a row, found by the digest of a random key that only the cookie has. It ends in every process at the
 * next request when its row is deleted, when it expires, when it was not used for LOGIN_IDLE_TIMEOUT, when its user is
 * deleted or inactive, or when the password changes.
 */
import { randomBytes } from "node:crypto"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Config.ts"
import { digest } from "../inventory/Vault.ts"
import { isStorable } from "../inventory/Field.ts"
import type { Table } from "../postgres/migrate/Table.ts"

export const sessionTable: Table = {
  name: "rackwire_session",
  daily: false,
  columns: [
    { name: "digest", type: "text", nullable: false },
    { name: "user_id", type: "bigint", nullable: false },
    { name: "password_mark", type: "text", nullable: false },
    { name: "expires", type: "timestamp with time zone", nullable: false },
    // Absent in sessions of earlier versions.
    { name: "begun", type: "timestamp with time zone", nullable: true },
    { name: "last_used", type: "timestamp with time zone", nullable: true },
    { name: "address", type: "text", nullable: true },
    { name: "agent", type: "text", nullable: true },
    // A digest of the proxy's headers that began the session; null for a session that began by a login.
    { name: "proxy_mark", type: "text", nullable: true },
    // The last time that the user gave the password or a second factor; infinity in a session by a provider or a proxy,
    // which confirm their users themselves; null in sessions of earlier versions.
    { name: "confirmed", type: "timestamp with time zone", nullable: true }
  ],
  constraints: [
    { name: "rackwire_session_digest_key", sql: "unique (digest)" },
    {
      name: "rackwire_session_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [
    { name: "rackwire_session_user_id_idx", sql: "(user_id)", unique: false },
    { name: "rackwire_session_expires_idx", sql: "(expires)", unique: false }
  ],
  triggers: [],
  published: false
}

/** SQL that marks the password of user `u`: a session ends when the mark is another than at its begin. */
export const passwordMark = "md5(u.password)"

/** Time within which further uses of a session are not noted, so that reads cost no writes, seconds. */
const unnotedSeconds = 60

/** SQL: whether the session `s` of a user `u` is valid. */
export const isLive = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { loginIdleTimeout } = yield* Settings
  const isValid = sql`s.expires > now() and u.is_active and s.password_mark = ${sql.literal(passwordMark)}`
  if (loginIdleTimeout === undefined) return isValid
  const seconds = Duration.toSeconds(loginIdleTimeout) + unnotedSeconds
  // Sessions of earlier versions have no time of their last use until they are used.
  return sql`(${isValid} and coalesce(s.last_used > now() - make_interval(secs => ${seconds}), true))`
})

/** Time for which a confirmation counts, seconds. */
const freshSeconds = 300

/** SQL: whether the user of session `s` logged in here, and not by a provider or a proxy. */
export const isLocal = "(s.confirmed is distinct from 'infinity' and s.proxy_mark is null)"

/** SQL: whether the user of session `s` gave the password or a second factor within the last minutes. */
export const isFresh = `coalesce(s.confirmed > now() - make_interval(secs => ${freshSeconds}), false)`

/** Where a session is used: the client's address, and what its browser calls itself. */
interface Place {
  readonly address: string | undefined
  readonly agent: string | undefined
  /** A digest of the proxy's headers; absent where the session begins by a login. */
  readonly proxyMark?: string | null
  /** Whether the user signed in by a provider. */
  readonly isByProvider?: boolean
}

/** Most characters that are kept of a browser's name. */
const agentLengthMax = 300

/** Time for which an ended session is remembered, so that a form of its page can be shown to its user again, seconds. */
export const keptSeconds = 86_400

/** Most sessions of a user that began by the header of a proxy: a browser without cookies begins one with each page. */
const proxySessionsMax = 20

/** Begins a session of the user in place of the one of this key. Returns its key and the seconds that it lasts. */
export const begin = Effect.fnUntraced(function* (user: number, replaced: string | undefined, place: Place) {
  const sql = yield* SqlClient.SqlClient
  const { loginTimeout } = yield* Settings
  const seconds = Math.floor(Duration.toSeconds(loginTimeout))
  const key = randomBytes(32).toString("base64url")
  const agent = (place.agent ?? "").slice(0, agentLengthMax)
  const isElsewhere = place.isByProvider === true || typeof place.proxyMark === "string"
  yield* sql`
    delete from rackwire_session
     where expires <= now() - make_interval(secs => ${keptSeconds}) or digest = ${replaced === undefined ? "" : digest(replaced)}`
  yield* sql`
    insert into rackwire_session (digest, user_id, password_mark, expires, begun, last_used, address, agent, proxy_mark,
                                  confirmed)
    select ${digest(key)}, u.id, ${sql.literal(passwordMark)}, now() + make_interval(secs => ${seconds}), now(), now(),
           ${place.address ?? ""}, ${isStorable(agent) ? agent : ""},
           ${place.proxyMark ?? null}, case when ${isElsewhere} then 'infinity'::timestamptz else now() end
      from users_user u where u.id = ${user}::bigint`
  return { key, seconds }
})

/** Ends the sessions of the user over that limit, the one that was used longest ago first. */
export const endOldestByProxy = (user: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      delete from rackwire_session where id in (
        select id from rackwire_session where user_id = ${user}::bigint and proxy_mark is not null
         order by last_used desc nulls last, id desc offset ${sql.literal(`${proxySessionsMax}`)})`
  )

/** Notes other headers of a proxy as those of the session. */
export const renewProxyMark = (key: string, mark: string | null) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update rackwire_session set proxy_mark = ${mark} where digest = ${digest(key)}`
  )

/** Notes that the user of the session has just given the password or a second factor. */
export const confirmSession = (key: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update rackwire_session s set confirmed = now() where s.digest = ${digest(key)} and ${sql.literal(isLocal)}`
  )

/** SQL: whether a use of the session `s` is to be noted. */
export const isUnnoted = `coalesce(s.last_used < now() - make_interval(secs => ${unnotedSeconds}), true)`

/** Notes that the session is used. Nobody waits for it, so its failure is ignored. */
export const noteSessionUse = (key: string, address: string | undefined) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update rackwire_session s set last_used = now(), address = ${address ?? ""}
       where s.digest = ${digest(key)} and ${sql.literal(isUnnoted)}`
  ).pipe(Effect.ignore)

export interface Session {
  readonly id: string
  readonly begun: string | null
  readonly last_used: string | null
  readonly expires: string
  readonly address: string | null
  readonly agent: string | null
  /** Whether it is the one of the key. */
  readonly current: boolean
}

/** Most sessions that are listed. */
const listedMax = 100

/** The valid sessions of a user, the one of this key first, then those that were used last. */
export const sessionsOf = Effect.fnUntraced(function* (user: number, key: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const time = (column: string) => sql.literal(`to_char(s.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
  return yield* sql<Session>`
    select s.id::text as id, ${time("begun")} as begun, ${time("last_used")} as last_used, ${time("expires")} as expires,
           s.address, s.agent, s.digest = ${key === undefined ? "" : digest(key)} as current
      from rackwire_session s join users_user u on u.id = s.user_id
     where u.id = ${user}::bigint and ${yield* isLive}
     order by current desc, s.last_used desc nulls last, s.id desc limit ${sql.literal(`${listedMax}`)}`
})

/** Ends a session of the user by its id. Returns whether there was one. */
export const endOne = Effect.fnUntraced(function* (user: number, id: string) {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    delete from rackwire_session where id = ${id}::bigint and user_id = ${user}::bigint returning id::text as id`
  return ended.length > 0
})

/** Ends all sessions of the user but the one of this key. Returns how many there were. */
export const endOthers = Effect.fnUntraced(function* (user: number, key: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    delete from rackwire_session where user_id = ${user}::bigint
       and digest <> ${key === undefined ? "" : digest(key)} returning id::text as id`
  return ended.length
})

/** Ends the session of this key. */
export const end = (key: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from rackwire_session where digest = ${digest(key)}`)

/** The user of the session of this key, also of one that has ended and is remembered. */
export const ownerOf = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`
    select user_id::text as id from rackwire_session where digest = ${digest(key)}`
  return row === undefined ? undefined : Number(row.id)
})

/** The CSRF token of a session: a form or a header must carry it beside the cookie, which other sites cannot do. */
export const csrfToken = (key: string): string => digest(`csrf ${key}`)
