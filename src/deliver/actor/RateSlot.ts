/**
 * The begin of an attempt in a time slot of its webhook's rate limit.
 *
 * A process that was stopped for a while would begin all attempts whose slots have passed at once, and exceed the rate.
 * So an attempt that is late reserves another slot.
 */
import { Effect } from "effect"
import { monotonicMillis } from "../../eventloop/Monotonic.ts"
import { pausing } from "../../eventloop/Pace.ts"
import { lateMillisMax } from "../../queue/RateSlots.ts"
import { Streams } from "../../queue/Streams.ts"

/** Succeeds when the attempt may begin. The slot that is reserved already is in `waitMillis`. */
export const inRateSlot = (
  definition: () => { readonly id: number; readonly rateLimit: number | undefined },
  waitMillis: number
): Effect.Effect<void, never, Streams> =>
  Effect.flatMap(monotonicMillis, (now) => {
    const due = now() + waitMillis
    const next = Effect.suspend(() => {
      const { id, rateLimit } = definition()
      if (rateLimit === undefined || now() - due < lateMillisMax(rateLimit)) return Effect.void
      const reserved = Effect.flatMap(Streams, (streams) => streams.reserve(id, 1, rateLimit))
      const another = reserved.pipe(Effect.retry(pausing(({ deliver }) => deliver.retryMillis)), Effect.orDie)
      return Effect.flatMap(another, (millis) => inRateSlot(definition, millis))
    })
    return Effect.andThen(Effect.sleep(waitMillis), next)
  })
