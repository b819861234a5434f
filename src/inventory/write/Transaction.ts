/** One request, one transaction: its first record in the WAL says who wrote and for which request. */
import { Data, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { statementMillis } from "../../postgres/Postgres.ts"
import { Counts } from "../read/Count.ts"
import { contextPrefix } from "../../postgres/Messages.ts"

export interface Author {
  readonly username: string
  readonly requestId: string
  /** Id of the user; absent where the service itself writes. */
  readonly userId?: number | undefined
  readonly request?: RequestLine | undefined
  /** Why the author changes something; absent where nothing is said. */
  readonly message?: string | undefined
}

/**
 * The author of a request whose sender may be a presumed one (read/Premise.ts): no write takes it but one that checks
 * the premise.
 */
export interface PresumedAuthor {
  readonly presumed: Author
}

/** How a request came in. */
export interface RequestLine {
  readonly method: string
  /** Without its query; of a longer one the beginning. */
  readonly path: string
  /** Id of the token; absent for a session. */
  readonly token?: number | undefined
  /** Its W3C trace context, if it had a valid one. */
  readonly traceparent?: string | undefined
  /** Ids of the webhooks whose deliveries led to it, the latest one last; absent where none did. */
  readonly chain?: ReadonlyArray<number> | undefined
}

/** Most webhooks of a chain; of a longer one the latest. */
export const chainMax = 16

/** Longest path that is kept, characters. */
export const pathCharsMax = 500

/** The content of the first record of a transaction in the WAL. */
export const contextOf = ({ username, requestId, request, message }: Author): string =>
  JSON.stringify({ user: username, request: requestId, ...request, message })

/** Times that a transaction is tried when it conflicts with others. */
const triesMax = 5

/**
 * Runs the effect in one transaction of the author. It is run again from the start when it lost a race (deadlock,
 * serialization, or a constraint that another transaction made true since the checks), so it must do nothing but SQL.
 */
export const asAuthor =
  (author: Author) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    transaction(author, effect)

const transaction = Effect.fnUntraced(function* <A, E, R>(author: Author, effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const { forget } = yield* Counts
  return yield* sql
    .withTransaction(
      Effect.andThen(
        // A write may wait for locks and cascade, so its statements get longer than those of a read.
        sql`select pg_logical_emit_message(true, ${contextPrefix}, ${contextOf(author)})::text,
                       set_config('statement_timeout', ${`${statementMillis}`}, true)`,
        effect
      )
    )
    .pipe(Effect.retry({ times: triesMax - 1, while: lostRace }), Effect.ensuring(forget))
})

class RolledBack extends Data.TaggedError("RolledBack")<{ readonly result: unknown }> {}

/**
 * The result of an effect that does nothing but SQL, in a transaction that is rolled back: nothing is stored, and no
 * event is made of it. `lockMillis`: longest wait for each lock, milliseconds; as for every statement if absent.
 */
export const rolledBack = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, lockMillis?: number) {
  const sql = yield* SqlClient.SqlClient
  const limited = sql`select set_config('lock_timeout', ${`${lockMillis}`}, true)`
  return yield* (lockMillis === undefined ? effect : Effect.andThen(limited, effect)).pipe(
    Effect.flatMap((result) => Effect.fail(new RolledBack({ result }))),
    sql.withTransaction,
    Effect.catchIf(
      (error): error is RolledBack => error instanceof RolledBack,
      ({ result }) => Effect.succeed(result as A)
    )
  )
})

const races = new Set(["UniqueViolation", "ConstraintError", "DeadlockError", "SerializationError"])

/** Whether a transaction failed because of a concurrent one, or may have. */
export const lostRace = (error: unknown): boolean => SqlError.isSqlError(error) && races.has(error.reason._tag)
