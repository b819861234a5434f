/**
 * The rows of users.signin: sign-ins, refusals, and changes of accounts by them.
 *
 * Responsible for: writing them, and deleting old ones. Guarantees: an outcome is stored by one statement before it is
 * answered; a row that cannot be written is logged and refuses nothing; refusals of one network write a bounded number
 * of rows (RefusalBudget.ts); texts of clients are cut to the limits of their columns. Does not: decide who is refused,
 * or store secrets.
 */
import { Clock, Context, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type SignInKind, signInChars } from "../../inventory/types/users/SignIn.ts"
import { type Author, contextOf } from "../../inventory/write/Transaction.ts"
import { contextPrefix } from "../../postgres/Messages.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { TooManyAttempts, networkOf } from "../Attempts.ts"
import { RefusalBudget } from "./RefusalBudget.ts"

/** The request that a row belongs to. The server of HTTP provides it. */
export const SignInRequest = Context.Reference<{
  readonly requestId: string
  /** The name by which the browser introduces itself. */
  readonly agent: string | undefined
  /** The budget of the process. */
  readonly refusals: RefusalBudget
}>("rackwire/auth/audit/SignInRequest", {
  defaultValue: () => ({ requestId: noRequest, agent: undefined, refusals: new RefusalBudget() })
})

const noRequest = "00000000-0000-0000-0000-000000000000"

interface SignInEntry {
  readonly kind: SignInKind
  /** As the field `way` of the type; absent where no credential was presented. */
  readonly way?: string
  /** The user name, as it was given. */
  readonly name: string
  readonly reason?: string
  readonly details?: string
}

interface SignInOutcome {
  readonly entries: ReadonlyArray<SignInEntry>
  /** The name of the authenticated user who did it; absent where nobody was authenticated. */
  readonly by?: string
  /** The author of the transaction that the rows belong to; absent where they have one of their own. */
  readonly author?: Author
  readonly address: string | undefined
}

const { table } = objectType("users.signin")

/** A text of a client as Postgres can store it, with at most so many characters. */
const storable = (text: string, charsMax: number): string =>
  text.slice(0, charsMax).toWellFormed().replaceAll("\0", "\ufffd")

/** An entry with texts that its columns can store. */
const rowOf = ({ kind, way = "", name, reason = "", details = "" }: SignInEntry) => ({
  kind,
  way: storable(way, signInChars.way),
  name: storable(name, signInChars.name),
  reason: storable(reason, signInChars.reason),
  details: storable(details, signInChars.details)
})

/** The first record in the WAL names the author, as for every request. */
const statement = `
  with context as materialized (select pg_logical_emit_message(true, $1, $2))
  insert into ${table} (kind, way, user_id, name, address, agent, request_id, reason, details)
  select r.kind, r.way, (select u.id from users_user u where u.username = r.name), r.name, $4, $5, $6::uuid, r.reason,
         r.details
    from context, json_to_recordset($3::json) as r (kind text, way text, name text, reason text, details text)`

/** Writes a row for each entry. Never fails: a sign-in does not depend on its row. */
export const writeSignIn = Effect.fnUntraced(function* ({ entries, by = "", author, address }: SignInOutcome) {
  const sql = yield* SqlClient.SqlClient
  const { requestId, agent = "" } = yield* SignInRequest
  const context = contextOf(author ?? { username: storable(by, signInChars.name), requestId })
  const insert = sql.unsafe(statement, [
    ...[contextPrefix, context, JSON.stringify(entries.map(rowOf))],
    ...[storable(address ?? "", signInChars.address), storable(agent, signInChars.agent), requestId]
  ])
  // Within a transaction a failure would abort it: a savepoint keeps the rest of it.
  const isInside = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
  yield* (isInside ? sql.withTransaction(insert) : insert).pipe(
    Effect.catch((error) => Effect.logWarning(`audit: a row of users.signin was not written: ${inWords(error)}`))
  )
})

/** Writes the row of a refusal, unless the budget of the client's network is used up. Returns whether it did. */
export const writeRefusal = Effect.fnUntraced(function* (
  entry: Omit<SignInEntry, "kind"> & { readonly reason: string },
  address: string | undefined
) {
  const { refusals } = yield* SignInRequest
  const { name, reason } = entry
  const stored = refusals.take({ network: networkOf(address), name, reason }, yield* Clock.currentTimeMillis)
  if (stored === undefined) return false
  yield* writeSignIn({ entries: [{ ...entry, kind: "refused", reason: stored }], address })
  return true
})

/** Whether another sign-in by a proxy is stored: a browser without cookies makes one with each page. */
export const admitsProxySignIn = Effect.fnUntraced(function* (name: string) {
  const { refusals } = yield* SignInRequest
  const key = `proxy ${name}`
  return refusals.take({ network: key, name, reason: key }, yield* Clock.currentTimeMillis) === key
})

/** Fails with `TooManyAttempts`, without a statement, while the budget of the client's network is used up. */
export const refuseFlood = Effect.fnUntraced(function* (address: string | undefined) {
  const { refusals } = yield* SignInRequest
  const wait = refusals.wait(networkOf(address), yield* Clock.currentTimeMillis)
  if (wait > 0) return yield* new TooManyAttempts({ seconds: Math.ceil(wait / 1000) })
})

/** Most rows that one statement deletes. */
const deletedMax = 5_000

/** Deletes rows older than SIGNIN_RETENTION. Their deletion is no event, because the type is append-only. */
export const forgetSignIns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { signinRetention } = yield* Settings
  const kept = `${Duration.toMillis(signinRetention)} milliseconds`
  const some = sql.unsafe(
    `delete from ${table} where id in (
       select id from ${table} where time < now() - $1::interval order by time limit ${deletedMax}) returning 1 as one`,
    [kept]
  )
  yield* Effect.repeat(some, { while: (deleted) => deleted.length === deletedMax })
})
