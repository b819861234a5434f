/** A timer that can only be set to ring earlier. */
import { Effect, FiberHandle } from "effect"
import { monotonicMillis } from "../../Monotonic.ts"

/** A function that sets the timer of the scope: `ring` runs in so many milliseconds, or earlier if set to earlier. */
export const makeEarliestTimer = Effect.fnUntraced(function* (ring: Effect.Effect<void>) {
  const now = yield* monotonicMillis
  const handle = yield* FiberHandle.make<void>()
  const run = yield* FiberHandle.runtime(handle)()
  let due = Number.POSITIVE_INFINITY
  const rings = Effect.suspend(() => {
    due = Number.POSITIVE_INFINITY
    return ring
  })
  return (millis: number) => {
    const at = now() + millis
    if (at >= due) return
    due = at
    // Timers drop what is less than a millisecond, and would ring before the time.
    run(Effect.andThen(Effect.sleep(Math.ceil(millis) + 1), rings))
  }
})
