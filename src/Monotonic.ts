/** Time that only rises, for what decides by how much time has passed. It comes from the clock service: tests turn it. */
import { Clock, Effect } from "effect"

/** Gives a function that tells the time in milliseconds, fractions included, since a moment that stays the same. */
export const monotonicMillis: Effect.Effect<() => number> = Clock.clockWith((clock) =>
  Effect.succeed(() => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
)
