/** Retry policies of every kind, and the delays that one gives. */
import fc from "fast-check"
import { type RetryPolicy, nextDelay } from "../../src/webhook/RetrySchedule.ts"
import { delaySecondsMax } from "../../src/transport/RetryAfter.ts"

const seconds = fc.double({ min: 0, max: delaySecondsMax, noNaN: true })
export const share = fc.double({ min: 0, max: 1, noNaN: true })
export const attempts = fc.integer({ min: 1, max: 100 })

export const exponential = fc.record({
  kind: fc.constant("exponential" as const),
  base: fc.oneof(seconds, fc.constantFrom(0, 1, 5)),
  factor: fc.double({ min: 1, max: 100, noNaN: true }),
  cap: seconds,
  attempts,
  jitter: share
})
export const fixed = fc.record({ kind: fc.constant("fixed" as const), delay: seconds, attempts, jitter: share })
export const list = fc.record({
  kind: fc.constant("list" as const),
  delays: fc.array(seconds, { maxLength: 99 }),
  jitter: share
})
export const policy: fc.Arbitrary<RetryPolicy> = fc.oneof(exponential, fixed, list)

/** Where in its range the jitter changes nothing. */
export const middle = 0.5

/** Delays after each failed attempt until there is no further one, milliseconds. */
export const delaysOf = (policy: RetryPolicy): ReadonlyArray<number> => {
  const delays: Array<number> = []
  for (let attempts = 1; attempts <= 200; attempts++) {
    const delay = nextDelay(policy, {
      failure: { reason: "Status", message: "" },
      attempts,
      elapsedMillis: 0,
      random: middle
    })
    if (delay === undefined) return delays
    delays.push(delay)
  }
  throw new Error("it never ends")
}
