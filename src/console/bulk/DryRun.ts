import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"

class RolledBack extends Data.TaggedError("RolledBack")<{ readonly result: unknown }> {}

/** Returns the result of a write in a transaction that is rolled back: nothing is written, and no event is made of it. */
export const dryRun = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* write.pipe(
      Effect.flatMap((result) => Effect.fail(new RolledBack({ result }))),
      sql.withTransaction,
      Effect.catchIf(
        (error): error is RolledBack => error instanceof RolledBack,
        ({ result }) => Effect.succeed(result as A)
      )
    )
  })
