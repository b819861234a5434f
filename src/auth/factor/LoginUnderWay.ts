/**
 * A login between the right password and the second factor.
 *
 * It is a ticket in a cookie: no session exists, and nothing is stored. It counts for five minutes, in the browser that
 * sent the password, while the user has the same password and is active.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { Vault, digest } from "../../inventory/Vault.ts"
import { type FoundUser, userColumns, userOf } from "../Authenticate.ts"
import { mayUsePassword } from "../password/Password.ts"
import type { UserRow } from "../Principal.ts"
import { passwordMark } from "../Session.ts"
import { openTicket, pathInCookie, sealTicket } from "../SealedTicket.ts"

/** Time within which the second factor has to be proved, seconds. */
export const loginSeconds = 300

const purpose = "log in with a second factor"

interface LoginTicket {
  readonly user: number
  /** The mark of the password that was right. */
  readonly mark: string
  /** The digest of the cookie that the browser has for forms. */
  readonly browser: string
  /** The path that the browser is led to afterwards. */
  readonly next: string
}

/** Returns the ticket of a user whose password was right, for the browser with this cookie for forms. */
export const beginLogin = Effect.fnUntraced(function* (user: UserRow, formCookie: string, next: string) {
  const expires = (yield* Clock.currentTimeMillis) + loginSeconds * 1000
  const content: LoginTicket = {
    ...{ user: user.id, mark: yield* markOf(user.id), browser: digest(formCookie) },
    next: pathInCookie(next)
  }
  return sealTicket(yield* Vault, purpose, content, expires)
})

const markOf = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly mark: string }>`
    select ${sql.literal(passwordMark)} as mark from users_user u where u.id = ${`${user}`}::bigint`
  return row?.mark ?? ""
})

/**
 * Returns the user whom a passkey proved; undefined if the user is inactive, if LOCAL_LOGIN lets the user not log in, or
 * if the user has an account of a directory or provider, which would not notice such a login.
 */
export const userOfPasskey = Effect.fnUntraced(function* (id: number) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundUser>`
    select ${sql.literal(userColumns)} from users_user u where u.id = ${`${id}`}::bigint and u.is_active
       and not exists (select from rackwire_identity i where i.user_id = u.id)`
  const user = found && userOf(found)
  return user !== undefined && mayUsePassword(user, yield* Settings) ? user : undefined
})

/** Returns the user and the next path of a ticket; undefined if it does not count. */
export const loginUnderWay = Effect.fnUntraced(function* (ticket: string | undefined, formCookie: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  const content = openTicket<LoginTicket>(yield* Vault, purpose, ticket, yield* Clock.currentTimeMillis)
  if (content === undefined || formCookie === undefined || content.browser !== digest(formCookie)) return undefined
  const [found] = yield* sql<FoundUser>`
    select ${sql.literal(userColumns)} from users_user u
     where u.id = ${`${content.user}`}::bigint and u.is_active and ${sql.literal(passwordMark)} = ${content.mark}`
  return found && { user: userOf(found), next: content.next }
})
