/** One move at a time: two would refuse the rows of each other. */
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { MoveRefused } from "../source/Source.ts"

/**
 * Takes the lock of moves until the scope ends. Fails if another move has it. The lock is one of a transaction, which a
 * pooler leaves on its connection.
 */
export const onlyRun = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const locked = yield* Deferred.make<boolean>()
  const holding = sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
      const [row] = yield* sql<{ readonly locked: boolean }>`
        select pg_try_advisory_xact_lock(hashtext('rackwire move')) as locked`
      yield* Deferred.succeed(locked, row!.locked)
      if (row!.locked) yield* Effect.never
    })
  )
  const fiber = yield* Effect.forkScoped(holding)
  if (yield* Effect.raceFirst(Deferred.await(locked), Effect.as(Fiber.join(fiber), false))) return
  return yield* new MoveRefused({ reason: "Running", message: "Another move is running; wait until it ends." })
})
