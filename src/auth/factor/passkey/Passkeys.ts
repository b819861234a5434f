/**
 * Passkeys of users: credentials of WebAuthn, as a second factor or as the only one.
 *
 * Responsible for: the rows of passkeys, and the proof by one of them. Guarantees: a challenge counts once, for five
 * minutes, in the browser that it was made for; a passkey proves its own user alone; as the only factor it counts if its
 * device has verified the user; a counter that does not rise is refused. Does not: begin sessions (Session.ts), or check
 * by hand what the protocol requires (Ceremony.ts).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../../../postgres/migrate/Table.ts"
import { Attempts } from "../../Attempts.ts"
import { Denied } from "../../Denied.ts"
import { type Prover, removeFactor } from "../Factors.ts"
import { firstRecoveryCodes } from "../RecoveryCode.ts"
import {
  type PasskeyAnswer,
  type RelyingParty,
  assertionOptions,
  newCounter,
  newCredential,
  registrationOptions
} from "./Ceremony.ts"
import { claimChallenge, openChallenge, sealChallenge } from "./Challenge.ts"

export const passkeyTable: Table = {
  name: "rackwire_passkey",
  daily: false,
  columns: [
    { name: "user_id", type: "bigint", nullable: false },
    // In base64url, as the public key.
    { name: "credential", type: "text", nullable: false },
    { name: "public_key", type: "text", nullable: false },
    // Uses that the device has counted; always zero for passkeys that several devices share.
    { name: "counter", type: "bigint", nullable: false },
    { name: "name", type: "text", nullable: false },
    { name: "made", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "last_used", type: "timestamp with time zone", nullable: true }
  ],
  constraints: [
    { name: "rackwire_passkey_credential_key", sql: "unique (credential)" },
    {
      name: "rackwire_passkey_user_id_fkey",
      sql: "foreign key (user_id) references users_user (id) on delete cascade"
    }
  ],
  indexes: [{ name: "rackwire_passkey_user_id_idx", sql: "(user_id)", unique: false }],
  triggers: [],
  published: false
}

/** Most passkeys of a user. */
export const passkeysMax = 10

/** Most characters of the name of a passkey. */
export const nameCharsMax = 50

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly made: string
  readonly last_used: string | null
}

/** Returns the passkeys of a user, the oldest first. */
export const passkeysOf = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const time = (column: string) => sql.literal(`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
  return yield* sql<Passkey>`
    select id::text as id, name, ${time("made")} as made, ${time("last_used")} as last_used
      from rackwire_passkey where user_id = ${`${user}`}::bigint order by id`
})

/** Whether any user has a passkey: without one the login page offers none. */
export const anyPasskey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly found: boolean }>`select exists (select from rackwire_passkey) as found`
  return row?.found === true
})

const credentialsOf = Effect.fnUntraced(function* (user: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly credential: string }>`
    select credential from rackwire_passkey where user_id = ${`${user}`}::bigint order by id`
  return rows.map(({ credential }) => credential)
})

/** A request to the browser: options of its API, and the ticket that has to return with its answer. */
export interface PasskeyRequest {
  readonly options: object
  readonly ticket: string
}

/** Returns the request for a new passkey of the user, for the browser with this cookie. */
export const requestNewPasskey = Effect.fnUntraced(function* (
  rp: RelyingParty,
  user: { readonly id: number; readonly name: string },
  cookie: string
) {
  const known = yield* credentialsOf(user.id)
  const options = yield* Effect.promise(() => registrationOptions(rp, user, known))
  const ticket = yield* sealChallenge("add a passkey", { challenge: options.challenge, user: user.id, cookie })
  return { options, ticket } satisfies PasskeyRequest
})

/** Returns the request for a proof by a passkey: of this user, or of any user for a login without a password. */
export const requestProof = Effect.fnUntraced(function* (rp: RelyingParty, user: number | undefined, cookie: string) {
  const allowed = user === undefined ? undefined : yield* credentialsOf(user)
  const options = yield* Effect.promise(() => assertionOptions(rp, allowed))
  const purpose = user === undefined ? "log in by a passkey" : "prove a passkey"
  const ticket = yield* sealChallenge(purpose, { challenge: options.challenge, user, cookie })
  return { options, ticket } satisfies PasskeyRequest
})

/** The same for a user with so many passkeys; undefined without any, and where browsers allow none. */
export const requestOwnProof = (rp: RelyingParty | undefined, user: number, passkeys: number, cookie: string) =>
  rp === undefined || passkeys === 0 ? Effect.succeed(undefined) : requestProof(rp, user, cookie)

const invalid = () => new Denied({ reason: "WrongPasskey" })

/**
 * Stores the new passkey that the browser answers with. Returns recovery codes if the user had none, and otherwise an
 * empty list. Fails with `Denied` for an answer that does not fit its request, and beyond the limit.
 */
export const addPasskey = Effect.fnUntraced(function* (
  rp: RelyingParty,
  user: number,
  answer: PasskeyAnswer,
  name: string
) {
  const sql = yield* SqlClient.SqlClient
  const challenge = yield* openChallenge("add a passkey", answer, user)
  if (challenge === undefined || !(yield* claimChallenge(challenge))) return yield* invalid()
  const made = yield* Effect.promise(() => newCredential(rp, challenge, answer.response))
  if (made === undefined) return yield* invalid()
  const id = `${user}`
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select id from users_user where id = ${id}::bigint for update`
      const rows = yield* sql`
        insert into rackwire_passkey (user_id, credential, public_key, counter, name)
        select ${id}::bigint, ${made.credential}, ${made.publicKey}, ${`${made.counter}`}::bigint, ${name}
         where (select count(*) from rackwire_passkey where user_id = ${id}::bigint) < ${passkeysMax}::int
        on conflict (credential) do nothing returning id::text as id`
      if (rows.length === 0) return yield* invalid()
      return yield* firstRecoveryCodes(user)
    })
  )
})

interface StoredPasskey {
  readonly id: string
  readonly user_id: string
  readonly credential: string
  readonly public_key: string
  readonly counter: string
}

/** Proves the second factor by a passkey of the user. Fails with `Denied`, and over the limits with `TooManyAttempts`. */
export const provePasskey = Effect.fnUntraced(function* (
  rp: RelyingParty,
  { user, address }: Prover,
  answer: PasskeyAnswer
) {
  const { guard } = yield* Attempts
  yield* guard({ username: user.username ?? "", address }, provenUser(rp, user.id, answer))
})

/**
 * Returns the id of the user whom the answer proves. With a user, any passkey of this user is a proof; without one, the
 * device must have verified the user, because the passkey is the only factor. Fails with `Denied`.
 */
export const provenUser = Effect.fnUntraced(function* (
  rp: RelyingParty,
  user: number | undefined,
  answer: PasskeyAnswer
) {
  const sql = yield* SqlClient.SqlClient
  const purpose = user === undefined ? "log in by a passkey" : "prove a passkey"
  const challenge = yield* openChallenge(purpose, answer, user)
  if (challenge === undefined || !(yield* claimChallenge(challenge))) return yield* invalid()
  const credential = String(answer.response["id"])
  const [row] = yield* sql<StoredPasskey>`
    select id::text as id, user_id::text as user_id, credential, public_key, counter::text as counter
      from rackwire_passkey where credential = ${/^[\w-]{1,1400}$/.test(credential) ? credential : ""}`
  if (row === undefined || (user !== undefined && Number(row.user_id) !== user)) return yield* invalid()
  const stored = { credential: row.credential, publicKey: row.public_key, counter: Number(row.counter) }
  const counter = yield* Effect.promise(() => newCounter(rp, challenge, answer.response, stored, user === undefined))
  if (counter === undefined) return yield* invalid()
  // A copy of the device answers with a counter that was used; the condition also orders concurrent answers.
  const used = yield* sql`
    update rackwire_passkey set counter = ${`${counter}`}::bigint, last_used = now()
     where id = ${row.id}::bigint and (counter < ${`${counter}`}::bigint or ${`${counter}`}::bigint = 0 and counter = 0)
    returning id::text as id`
  return used.length > 0 ? Number(row.user_id) : yield* invalid()
})

/** Removes a passkey of the user, and the recovery codes with the last factor. Returns whether there was one. */
export const removePasskey = (user: number, id: string) =>
  removeFactor(
    user,
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        delete from rackwire_passkey where id = ${id}::bigint and user_id = ${`${user}`}::bigint returning id::text as id`
    )
  )
