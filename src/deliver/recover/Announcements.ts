/**
 * What is announced in Postgres, for as long as it is heard.
 *
 * A connection that only listens owes no answer and is owed none, so nobody would notice that it is dead. Every process
 * that listens announces itself now and then, and one that does not even hear itself fails, to listen anew.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Queue, Schedule, Schema } from "effect"
import { announceChannel } from "../../inventory/database/DatabaseFunctions.ts"

export class Unheard extends Schema.TaggedError<Unheard>()("Unheard", { message: Schema.String }) {}

const beat = "beat"

const beatPause = "3 seconds"
const silentMax = "12 seconds"

/** Answers an effect that takes the next announcements, perhaps none; each is an object type and an id. */
export const announcements = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const told = yield* sql.listen(announceChannel)
  yield* Effect.ignore(sql.notify(announceChannel, beat)).pipe(
    Effect.schedule(Schedule.spaced(beatPause)),
    Effect.forkScoped
  )
  return Queue.takeAll(told).pipe(
    Effect.timeoutOrElse({
      duration: silentMax,
      orElse: () => Effect.fail(new Unheard({ message: `nothing was announced for ${silentMax}` }))
    }),
    Effect.map((all) => all.filter(({ payload }) => payload !== beat).map(({ payload }) => payload.split(" ")))
  )
})
