/**
 * Sessions of users who are logged in with a browser.
 *
 * A session is a row, found by the digest of a random key that only the cookie holds. It ends in every process at the
 * next request when its row is deleted, when it expires, when its user is deleted or inactive, or when the password
 * changes.
 */
import { randomBytes } from "node:crypto"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Config.ts"
import { digest } from "../Vault.ts"
import type { Table } from "../inventory/derive/table/Table.ts"

export const sessionTable: Table = {
  name: "rackwire_session",
  daily: false,
  columns: [
    { name: "digest", type: "text", nullable: false },
    { name: "user_id", type: "bigint", nullable: false },
    { name: "password_mark", type: "text", nullable: false },
    { name: "expires", type: "timestamp with time zone", nullable: false }
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
const passwordMark = "md5(u.password)"

/** SQL: whether the session `s` of a user `u` is valid. */
export const isLive = `s.expires > now() and u.is_active and s.password_mark = ${passwordMark}`

/** Begins a session of the user in place of the one of this key. Returns its key and the seconds that it lasts. */
export const begin = Effect.fnUntraced(function* (user: number, replaced: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const { loginTimeout } = yield* Settings
  const seconds = Math.floor(Duration.toSeconds(loginTimeout))
  const key = randomBytes(32).toString("base64url")
  yield* sql`
    delete from rackwire_session where expires <= now() or digest = ${replaced === undefined ? "" : digest(replaced)}`
  yield* sql`
    insert into rackwire_session (digest, user_id, password_mark, expires)
    select ${digest(key)}, u.id, ${sql.literal(passwordMark)}, now() + make_interval(secs => ${seconds})
      from users_user u where u.id = ${user}::bigint`
  return { key, seconds }
})

/** Ends the session of this key. */
export const end = (key: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from rackwire_session where digest = ${digest(key)}`)

/** The CSRF token of a session: a form or a header must carry it beside the cookie, which other sites cannot do. */
export const csrfToken = (key: string): string => digest(`csrf ${key}`)
