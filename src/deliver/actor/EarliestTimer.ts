/** A timer that can only be set to ring earlier. */
import { Effect, FiberHandle, FiberSet } from "effect"
import { monotonicMillis } from "../../eventloop/Monotonic.ts"

/**
 * A function that sets the timer of the scope: `ring` runs in so many milliseconds, or earlier if set to earlier. Setting
 * the timer does not interrupt a `ring` that runs: the changes of `ring` would stay, and its result would be lost.
 */
export const makeEarliestTimer = Effect.fnUntraced(function* (ring: Effect.Effect<void>) {
  const now = yield* monotonicMillis
  const wait = yield* FiberHandle.makeRuntime<never, void>()
  const run = yield* FiberSet.makeRuntime<never, void>()
  let due = Number.POSITIVE_INFINITY
  const rings = Effect.sync(() => {
    due = Number.POSITIVE_INFINITY
    run(ring)
  })
  return (millis: number) => {
    const at = now() + millis
    if (at >= due) return
    due = at
    // Timers drop what is less than a millisecond, and would ring before the time.
    wait(Effect.andThen(Effect.sleep(Math.ceil(millis) + 1), rings))
  }
})
