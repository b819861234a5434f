/** Monotonic time, to measure durations. It is read from the clock service, so tests can control it. */
import { Clock, Effect } from "effect"

/** Returns a function that reads the milliseconds, with fractions, since a fixed moment. */
export const monotonicMillis: Effect.Effect<() => number> = Clock.clockWith((clock) =>
  Effect.succeed(() => Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
)
