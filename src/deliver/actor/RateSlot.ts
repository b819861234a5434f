/**
 * The beginning of an attempt at its place in a limited rate.
 *
 * A process that was stopped for a while would begin at once what it had places for meanwhile. What comes late takes
 * another place.
 */
import { Effect, Schedule } from "effect"
import type { Streams } from "../../stream/Streams.ts"

/** How late an attempt may begin, milliseconds. */
const lateMax = 100

/** Pause before another place is asked for again when Redis is away. */
const pause = Schedule.spaced("500 millis")

/** Succeeds when the attempt may begin; the first place is in so many milliseconds. */
export const inRateSlot = (
  streams: Streams["Service"],
  definition: () => { readonly id: number; readonly rateLimit: number | undefined },
  waitMillis: number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const due = performance.now() + waitMillis
    const next = Effect.suspend(() => {
      const { id, rateLimit } = definition()
      if (rateLimit === undefined || performance.now() - due < lateMax) return Effect.void
      const another = streams.reserve(id, 1, rateLimit).pipe(Effect.retry(pause), Effect.orDie)
      return Effect.flatMap(another, (millis) => inRateSlot(streams, definition, millis))
    })
    return Effect.andThen(Effect.sleep(waitMillis), next)
  })
