/**
 * The second factor of users who log in with a password of this service.
 *
 * Responsible for: the authenticator app and the recovery codes of a user, and the proof by one of them; passkeys are in
 * passkey/. Guarantees: a code counts once, whichever processes receive it at the same time; wrong codes count against
 * the limits of wrong passwords (Attempts.ts); the secret of an app is stored sealed. Does not: begin sessions (Session.ts), or concern
 * users who sign in by a provider or a proxy, which have factors of their own.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Vault } from "../../inventory/Vault.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import { Attempts } from "../Attempts.ts"
import { Denied } from "../Denied.ts"
import type { UserRow } from "../Principal.ts"
import {
  firstRecoveryCodes,
  plainRecoveryCode,
  removeRecoveryCodes,
  replaceRecoveryCodes,
  spendRecoveryCode
} from "./RecoveryCode.ts"
import { openTicket, sealTicket } from "../SealedTicket.ts"
import { newSecret, stepOfCode } from "./Totp.ts"

export const totpTable: Table = {
  name: "rackwire_totp",
  daily: false,
  columns: [
    { name: "user_id", type: "bigint", nullable: false },
    // Sealed; Reseal.ts seals it anew when SECRET_KEY changes.
    { name: "secret", type: "text", nullable: false },
    // The step of the last code that was used: codes of this step and of earlier ones are refused.
    { name: "last_step", type: "bigint", nullable: false },
    { name: "set_up", type: "timestamp with time zone", nullable: false, default: "now()" }
  ],
  constraints: [
    { name: "rackwire_totp_user_id_key", sql: "unique (user_id)" },
    {
      name: "rackwire_totp_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [],
  triggers: [],
  published: false
}

/** The second factors of a user. */
export interface UserFactors {
  /** When the authenticator app was set up; null without one. */
  readonly totp: string | null
  readonly passkeys: number
  /** Recovery codes that are left. */
  readonly recoveryCodes: number
}

/** Returns the second factors of a user. */
export const factorsOf = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const id = `${user}`
  const [row] = yield* sql<UserFactors>`
    select (select to_char(set_up at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
              from rackwire_totp where user_id = ${id}::bigint) as totp,
           (select count(*)::int from rackwire_passkey where user_id = ${id}::bigint) as passkeys,
           (select count(*)::int from rackwire_recovery_code where user_id = ${id}::bigint) as "recoveryCodes"`
  return row!
})

/** Whether the user needs a second factor to log in. */
export const hasFactor = ({ totp, passkeys }: UserFactors): boolean => totp !== null || passkeys > 0

/** The user who proves a factor, and the client's address. */
export interface Prover {
  readonly user: UserRow
  readonly address: string | undefined
}

/** How a second factor was proved. */
type Proof = "a code" | "a recovery code"

/** Proves the second factor by a code, which is used up. Fails with `Denied`, and over the limits with `TooManyAttempts`. */
export const proveFactor = Effect.fnUntraced(function* ({ user, address }: Prover, code: string) {
  const { guard } = yield* Attempts
  return yield* guard({ username: user.username ?? "", address }, spend(user.id, code))
})

/** Uses up the code. Returns its kind; fails with `Denied` for a wrong or used one. */
const spend = Effect.fnUntraced(function* (user: number, text: string) {
  const code = text.replaceAll(/\s/g, "")
  const plain = plainRecoveryCode(text)
  const proof: Proof = plain === undefined ? "a code" : "a recovery code"
  const isRight = yield* plain === undefined ? spendTotp(user, code) : spendRecoveryCode(user, plain)
  return isRight ? proof : yield* new Denied({ reason: "WrongCode" })
})

const spendTotp = Effect.fnUntraced(function* (user: number, code: string) {
  const sql = yield* SqlClient.SqlClient
  const { open } = yield* Vault
  const [row] = yield* sql<{ readonly id: string; readonly secret: string }>`
    select id::text as id, secret from rackwire_totp where user_id = ${`${user}`}::bigint`
  const secret = row && open(row.secret)
  if (row === undefined || secret === undefined) return false
  const now = yield* Clock.currentTimeMillis
  const step = yield* Effect.promise(() => stepOfCode(secret, code, now))
  if (step === undefined) return false
  // One of several concurrent requests with this code raises the step, whichever processes they are sent to.
  const used = yield* sql`
    update rackwire_totp set last_step = ${`${step}`}::bigint
     where id = ${row.id}::bigint and last_step < ${`${step}`}::bigint returning id::text as id`
  return used.length > 0
})

// --- setting up

/** Time within which an authenticator app has to be confirmed, milliseconds. */
const setUpMillis = 15 * 60_000

const purpose = "set up an authenticator app"

interface PendingTotp {
  readonly user: number
  readonly secret: string
}

/** Returns a new secret for the user, and the ticket with which `setUpTotp` stores it. Nothing is stored before. */
export const offerTotp = Effect.fnUntraced(function* (user: number) {
  const secret = yield* Effect.promise(newSecret)
  const expires = (yield* Clock.currentTimeMillis) + setUpMillis
  return { secret, ticket: sealTicket(yield* Vault, purpose, { user, secret } satisfies PendingTotp, expires) }
})

/** Returns the secret of a ticket of this user; undefined if it is none, or has expired. */
export const offeredSecret = Effect.fnUntraced(function* (user: number, ticket: string) {
  const offered = openTicket<PendingTotp>(yield* Vault, purpose, ticket, yield* Clock.currentTimeMillis)
  return offered?.user === user ? offered.secret : undefined
})

/**
 * Sets up the app with this secret, if the code is one of it. Returns recovery codes if the user had none, and otherwise
 * an empty list; undefined for a wrong code, and where the user has set up an app meanwhile.
 */
export const setUpTotp = Effect.fnUntraced(function* (user: number, secret: string, code: string) {
  const sql = yield* SqlClient.SqlClient
  const { seal } = yield* Vault
  const now = yield* Clock.currentTimeMillis
  const step = yield* Effect.promise(() => stepOfCode(secret, code.replaceAll(/\s/g, ""), now))
  if (step === undefined) return undefined
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const made = yield* sql`
        insert into rackwire_totp (user_id, secret, last_step)
        values (${`${user}`}::bigint, ${seal(secret)}, ${`${step}`}::bigint)
        on conflict (user_id) do nothing returning id::text as id`
      if (made.length === 0) return undefined
      return yield* firstRecoveryCodes(user)
    })
  )
})

/** Makes ten recovery codes in place of the earlier ones. Returns none for a user without a second factor. */
export const renewRecoveryCodes = (user: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select id from users_user where id = ${`${user}`}::bigint for update`
        return hasFactor(yield* factorsOf(user)) ? yield* replaceRecoveryCodes(user) : []
      })
    )
  )

/** Removes the app of the user, and the recovery codes with the last factor. Returns whether there was one. */
export const removeTotp = (user: number) =>
  removeFactor(
    user,
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`delete from rackwire_totp where user_id = ${`${user}`}::bigint returning id::text as id`
    )
  )

/** Runs the statement that removes a factor, and removes the recovery codes if it was the last. Returns whether there was one. */
export const removeFactor = <E>(
  user: number,
  statement: Effect.Effect<ReadonlyArray<unknown>, E, SqlClient.SqlClient>
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const removed = yield* statement
        if (!hasFactor(yield* factorsOf(user))) yield* removeRecoveryCodes(user)
        return removed.length > 0
      })
    )
  )

/** Removes all second factors of the user. Returns whether there were any. */
export const removeFactors = (user: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const id = `${user}`
        const removed = yield* sql`
          with app as (delete from rackwire_totp where user_id = ${id}::bigint returning id),
               passkeys as (delete from rackwire_passkey where user_id = ${id}::bigint returning id)
          select id::text as id from app union all select id::text as id from passkeys`
        yield* removeRecoveryCodes(user)
        return removed.length > 0
      })
    )
  )
