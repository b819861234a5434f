/** Trials: writes in a transaction that is rolled back. */
import { Data, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { refuseAfter } from "../../http/objects/Limits.ts"

/** Longest time for a trial, and for each lock that its writes wait for. */
const trialTime = Duration.seconds(5)
const lockMillis = 2000

class RolledBack extends Data.TaggedError("RolledBack")<{ readonly result: unknown }> {}

/** The result of an effect that does nothing but SQL. Nothing is stored. Fails with 413 if it takes too long. */
export const rolledBack = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const trial = Effect.gen(function* () {
      yield* sql`select set_config('lock_timeout', ${`${lockMillis}`}, true)`
      return yield* new RolledBack({ result: yield* effect })
    })
    return yield* trial.pipe(
      sql.withTransaction,
      refuseAfter(trialTime, "The preview did not end"),
      Effect.catchIf(
        (error): error is RolledBack => error instanceof RolledBack,
        ({ result }) => Effect.succeed(result as A)
      )
    )
  })
