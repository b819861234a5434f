/**
 * Passwords: login by name and password, and another one instead.
 *
 * Guarantees: a wrong password, an unknown user and one who is not active cost the same; however many come at once, few
 * hashes are worked on at a time, so that neither the memory nor the threads of the process go to them.
 */
import { Effect, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { hashPassword, isOutdated, passwordLength, verifyPassword } from "../Vault.ts"
import { Clearance } from "../inventory/Clearance.ts"
import { type Row, isStorable } from "../inventory/Field.ts"
import { objectType } from "../inventory/Registry.ts"
import type { Author } from "../inventory/write/Transaction.ts"
import { update } from "../inventory/write/Write.ts"
import { Attempts, TooManyAttempts } from "./Attempts.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "./Authenticate.ts"
import { Denied } from "./Denied.ts"
import type { Principal } from "./Principal.ts"

/** Hashes worked on at a time, of the four threads that the process has for such work. */
const hashesMax = 2

/** Logins that wait for their turn; more are sent away. */
const waitingMax = 50

const turns = Semaphore.makeUnsafe(hashesMax)
let waiting = 0

/** What an unknown user's password is compared with. */
const nobody = hashPassword("nobody has this password")

/** The active user of this name and password. Who fails too often must wait. */
export const logIn = Effect.fnUntraced(function* (username: string, password: string, address: string | undefined) {
  const { guard } = yield* Attempts
  return yield* guard({ username, address }, verify(username, password))
})

/**
 * Gives a user another password than the one before it. Answers what is wrong with the new one; undefined when it is
 * set.
 */
export const changePassword = Effect.fnUntraced(function* (
  user: Row,
  before: string,
  wanted: string,
  by: { readonly address: string | undefined; readonly author: Author }
) {
  yield* logIn(String(user["username"]), before, by.address)
  const change = { id: user.id, body: { password: wanted } }
  return yield* update(objectType("users.user"), [change], false, by.author).pipe(
    // One's own password is everybody's to change.
    Effect.provideService(Clearance, Clearance.all),
    Effect.as(undefined),
    Effect.catchTag("WriteRefused", ({ errors }) => Effect.succeed(errors[0]?.["password"]?.join(" ")))
  )
})

const verify = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<FoundUser>`
    select ${sql.literal(userColumns)} from users_user u
     where username = ${isStorable(username) ? username : ""}`
  const user = found === undefined ? undefined : userOf(found)
  const stored = user === undefined ? yield* Effect.promise(() => nobody) : String(user["password"])
  const right = yield* inTurn(
    password.length <= passwordLength.max * 2 ? () => verifyPassword(password, stored) : never
  )
  if (found === undefined || user === undefined || !right || user["is_active"] !== true)
    return yield* new Denied({ reason: "WrongPassword" })
  if (isOutdated(stored)) yield* rehash(user.id, password, stored)
  return { user, mayWrite: true, permissions: yield* permissionsOf(found) } satisfies Principal
})

const never = () => Promise.resolve(false)

const inTurn = Effect.fnUntraced(function* <A>(work: () => Promise<A>) {
  if (waiting >= waitingMax) return yield* new TooManyAttempts({ seconds: 1 })
  waiting += 1
  return yield* turns.withPermit(Effect.promise(work)).pipe(Effect.ensuring(Effect.sync(() => (waiting -= 1))))
})

/** At today's cost. Sessions of the user end, as with any other hash; what somebody else has set meanwhile stays. */
const rehash = Effect.fnUntraced(function* (user: number, password: string, stored: string) {
  const sql = yield* SqlClient.SqlClient
  const hash = yield* inTurn(() => hashPassword(password))
  yield* sql`
    update users_user
       set password = ${hash},
           temporary_password = case when temporary_password = md5(password) then md5(${hash}) else '' end
     where id = ${user}::bigint and password = ${stored}`
})
