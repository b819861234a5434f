/**
 * Passwords: login by name and password, of this service or of an LDAP directory, and a new password in place of the old
 * one.
 *
 * Guarantees: a wrong password, an unknown user and an inactive user cost the same. Passwords here count before those of
 * the directory, so that a superuser can log in while it is slow or away.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { isOutdated } from "../../inventory/Vault.ts"
import { Clearance } from "../../inventory/Clearance.ts"
import { isStorable, textsIn } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { update } from "../../inventory/write/Write.ts"
import { Attempts } from "../Attempts.ts"
import { type FoundUser, permissionsOf, userColumns, userOf } from "../Authenticate.ts"
import { Denied } from "../Denied.ts"
import type { Sender } from "../directory/Account.ts"
import { type LdapSignIn, signInByLdap } from "../ldap/LdapSignIn.ts"
import { principalOf } from "../Sight.ts"
import { PasswordHashing } from "./PasswordHashing.ts"
import type { Principal, UserRow } from "../Principal.ts"

/**
 * The active user of this name and password: a user here, if LOCAL_LOGIN lets it log in by a password (a right one is
 * refused as a wrong one is otherwise), or one of the LDAP directory. Fails with `TooManyAttempts` after too many
 * failures.
 */
export const logIn = Effect.fnUntraced(function* (username: string, password: string, by: Sender) {
  const { localLogin } = yield* Settings
  const { guard } = yield* Attempts
  const local: ReturnType<typeof verify> =
    localLogin === "off"
      ? new Denied({ reason: "WrongPassword" })
      : verify(username, password).pipe(
          Effect.filterOrFail(
            ({ user }) => mayUsePassword(user, { localLogin }),
            () => new Denied({ reason: "WrongPassword" })
          )
        )
  const anywhere = local.pipe(
    Effect.map((principal) => ({ ...principal, how: "signIn" as const, account: undefined })),
    Effect.catchTag("Denied", () => Effect.flatMap(signInByLdap(username, password, by), signedIn))
  )
  return yield* guard({ username, address: by.address }, anywhere)
})

/** The sender who is a user of the directory, with its account. */
const signedIn = Effect.fnUntraced(function* ({ id, how, account }: LdapSignIn) {
  const principal = yield* principalOf(id)
  if (principal === undefined) return yield* new Denied({ reason: "WrongPassword" })
  return { ...principal, mayWrite: true, how, account }
})

/** Whether LOCAL_LOGIN lets the user log in by a password. */
export const mayUsePassword = (
  { is_superuser }: Pick<UserRow, "is_superuser">,
  { localLogin }: Pick<Settings["Service"], "localLogin">
): boolean => localLogin === "on" || (localLogin === "superusers" && is_superuser)

/**
 * Checks the password of a user who is logged in, here or in the directory. Fails with `Denied`, or `TooManyAttempts`
 * after too many failures; with `SignInRefused` if the directory is away.
 */
export const provePassword = Effect.fnUntraced(function* (user: UserRow, password: string, by: Sender) {
  const { guard } = yield* Attempts
  const username = user.username ?? ""
  const anywhere = verify(username, password).pipe(
    Effect.map((found) => found.user.id),
    Effect.catchTag("Denied", () => Effect.map(signInByLdap(username, password, by), ({ id }) => id)),
    Effect.filterOrFail(
      (id) => id === user.id,
      () => new Denied({ reason: "WrongPassword" })
    )
  )
  yield* guard({ username, address: by.address }, anywhere)
})

/**
 * Gives a user a new password, if `before` is the old one. Returns what is wrong with the new password; undefined when
 * it is set.
 */
export const changePassword = Effect.fnUntraced(function* (user: UserRow, before: string, wanted: string, by: Sender) {
  const { guard } = yield* Attempts
  const username = user.username ?? ""
  yield* guard({ username, address: by.address }, verify(username, before))
  const change = { id: user.id, body: { password: wanted } }
  return yield* update(objectType("users.user"), [change], false, by.author).pipe(
    // Users may change their own password whatever was granted to them.
    Effect.provideService(Clearance, Clearance.all),
    Effect.as(undefined),
    Effect.catchTag("WriteRefused", ({ errors }) => Effect.succeed(textsIn(errors[0]?.["password"] ?? []).join(" ")))
  )
})

const verify = Effect.fnUntraced(function* (username: string, password: string) {
  const sql = yield* SqlClient.SqlClient
  const hashing = yield* PasswordHashing
  const [found] = yield* sql<FoundUser>`
    select ${sql.literal(userColumns)} from users_user u
     where username = ${isStorable(username) ? username : ""}`
  const user = found && userOf(found)
  const hash = user?.password ?? undefined
  const isRight = yield* hashing.verify(password, hash)
  if (found === undefined || user?.is_active !== true || hash === undefined || !isRight) {
    return yield* new Denied({ reason: "WrongPassword" })
  }
  if (isOutdated(hash)) yield* rehash(user.id, password, hash)
  return { user, mayWrite: true, permissions: yield* permissionsOf(found) } satisfies Principal
})

/**
 * Hashes the password at the cost of now. The user's sessions end, as with any new hash. A password that was set
 * meanwhile stays.
 */
const rehash = Effect.fnUntraced(function* (user: number, password: string, stored: string) {
  const sql = yield* SqlClient.SqlClient
  const hashing = yield* PasswordHashing
  const hash = yield* hashing.hash(password)
  yield* sql`
    update users_user
       set password = ${hash},
           temporary_password = case when temporary_password = md5(password) then md5(${hash}) else '' end
     where id = ${user}::bigint and password = ${stored}`
})
