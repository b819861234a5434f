/**
 * Notifications of Postgres about changed webhooks, deliveries and operations.
 *
 * A connection that only listens sends nothing, so a dead one would not be noticed. Each listening process therefore
 * sends a heartbeat on the same channel. If it does not receive its own heartbeat, it fails, and its caller listens
 * anew.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Queue, Schedule, Schema } from "effect"
import { Pace } from "../eventloop/Pace.ts"
import { announceChannel } from "../postgres/Messages.ts"

export class Unheard extends Schema.TaggedError<Unheard>()("Unheard", { message: Schema.String }) {}

const heartbeat = "beat"

/** Gives an effect that takes the next notifications, possibly none; each is an object type and an id. */
export const announcements = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { announceMillis, announceSilenceMillis } = (yield* Pace).deliver
  const told = yield* sql.listen(announceChannel)
  yield* Effect.ignore(sql.notify(announceChannel, heartbeat)).pipe(
    Effect.schedule(Schedule.spaced(announceMillis)),
    Effect.forkScoped
  )
  return Queue.takeAll(told).pipe(
    Effect.timeoutOrElse({
      duration: announceSilenceMillis,
      orElse: () => Effect.fail(new Unheard({ message: `nothing was announced for ${announceSilenceMillis} ms` }))
    }),
    Effect.map((all) => all.filter(({ payload }) => payload !== heartbeat).map(({ payload }) => payload.split(" ")))
  )
})
