import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Failure } from "../../src/event/Outcome.ts"
import { type FailedAttempt, decide, nextDelay, retrySchedule, usualPolicy } from "../../src/webhook/RetrySchedule.ts"
import { delaySecondsMax } from "../../src/transport/RetryAfter.ts"
import { attempts, delaysOf, exponential, fixed, list, middle, policy, share } from "./RetryPolicies.ts"

const mendable = fc.constantFrom<Failure["reason"]>(
  "Status",
  "Timeout",
  "Refused",
  "Reset",
  "Dns",
  "Tls",
  "Blocked",
  "TooLarge",
  "Protocol"
)
const hopeless = fc.constantFrom<Failure["reason"]>("Gone", "Declined", "Render")
const failureOf = (reason: Failure["reason"], retryAfterMillis?: number): Failure => ({
  reason,
  message: "why",
  retryAfterMillis
})

const failed = (attempts: number, failure = failureOf("Status"), random = middle): FailedAttempt => ({
  failure,
  attempts,
  elapsedMillis: 0,
  random
})

describe("a delay", () => {
  test("grows by the factor up to the cap and never falls, before jitter", () => {
    fc.assert(
      fc.property(exponential, (policy) => {
        const delays = delaysOf(policy)
        delays.forEach((delay, at) => {
          expect(delay).toBeCloseTo(Math.min(policy.base * policy.factor ** at, policy.cap) * 1000, 3)
          expect(delay).toBeGreaterThanOrEqual(delays[at - 1] ?? 0)
        })
      })
    )
  })

  test("stays the same, or follows the list, before jitter", () => {
    fc.assert(
      fc.property(fixed, list, (fixed, list) => {
        expect(new Set(delaysOf(fixed)).size).toBeLessThanOrEqual(1)
        expect(delaysOf(list)).toEqual(list.delays.map((delay) => delay * 1000))
      })
    )
  })

  test("differs by the share of the jitter at most, and reaches it", () => {
    const usable = policy.filter((policy) => delaysOf(policy).length > 0)
    fc.assert(
      fc.property(usable, share, (policy, random) => {
        const [plain] = delaysOf(policy)
        const at = (random: number) => nextDelay(policy, failed(1, failureOf("Timeout"), random))!
        const most = Math.min(plain! * (1 + policy.jitter), delaySecondsMax * 1000)
        expect(at(random)).toBeGreaterThanOrEqual(plain! * (1 - policy.jitter) - 1e-3)
        expect(at(random)).toBeLessThanOrEqual(most + 1e-3)
        expect(at(0)).toBeCloseTo(plain! * (1 - policy.jitter), 3)
        expect(at(1)).toBeCloseTo(most, 3)
      })
    )
  })

  test("is never negative and never longer than a week, whatever the receiver asks for", () => {
    const asked = fc.option(fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true })), { nil: undefined })
    fc.assert(
      fc.property(policy, attempts, mendable, asked, share, (policy, attempts, reason, asked, random) => {
        const delay = nextDelay(policy, failed(attempts, failureOf(reason, asked), random)) ?? 0
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(delaySecondsMax * 1000)
      })
    )
    const longest = { kind: "fixed", delay: delaySecondsMax, attempts: 2, jitter: 1 } as const
    expect(nextDelay(longest, failed(1, failureOf("Status"), 1))).toBe(delaySecondsMax * 1000)
  })

  test("is at least what the receiver asks for, up to a week, and else what it was", () => {
    fc.assert(
      fc.property(policy, attempts, fc.nat(delaySecondsMax * 2000), share, (policy, attempts, asked, random) => {
        const usual = nextDelay(policy, failed(attempts, failureOf("Status"), random))
        const polite = nextDelay(policy, failed(attempts, failureOf("Status", asked), random))
        const expected = usual === undefined ? undefined : Math.max(usual, Math.min(asked, delaySecondsMax * 1000))
        expect(polite).toBe(expected)
      })
    )
  })
})

describe("the attempts of a delivery", () => {
  test("end with the time that the policy gives them in all, and are otherwise the same", () => {
    const total = fc.nat(delaySecondsMax)
    fc.assert(
      fc.property(
        policy,
        attempts,
        total,
        fc.nat(delaySecondsMax),
        share,
        (policy, attempts, total, elapsed, random) => {
          const failing = { ...failed(attempts, failureOf("Status"), random), elapsedMillis: elapsed * 1000 }
          const delay = nextDelay(policy, failing)
          const late = delay !== undefined && failing.elapsedMillis + delay > total * 1000
          expect(nextDelay({ ...policy, total }, failing)).toBe(late ? undefined : delay)
        }
      )
    )
  })

  test("are as many as the policy says, the first included", () => {
    fc.assert(
      fc.property(fc.oneof(exponential, fixed), (policy) => {
        expect(delaysOf(policy)).toHaveLength(policy.attempts - 1)
      })
    )
  })

  test("are one more than the delays of a list", () => {
    fc.assert(
      fc.property(list, (policy) => {
        expect(delaysOf(policy)).toHaveLength(policy.delays.length)
      })
    )
  })

  test("end at once when no further one can help, even if the receiver asks to wait", () => {
    fc.assert(
      fc.property(policy, hopeless, fc.option(fc.nat(), { nil: undefined }), (policy, reason, asked) => {
        expect(nextDelay(policy, failed(1, failureOf(reason, asked)))).toBeUndefined()
      })
    )
  })

  test("go on after every other failure", () => {
    fc.assert(
      fc.property(mendable, (reason) => {
        expect(nextDelay({ kind: "list", delays: [7], jitter: 0 }, failed(1, failureOf(reason)))).toBe(7000)
      })
    )
  })

  test("are 8 over about a day by default", () => {
    expect(delaysOf(usualPolicy)).toEqual([5, 25, 125, 625, 3125, 15_625, 78_125].map((delay) => delay * 1000))
  })
})

describe("the schedule of a policy", () => {
  test("decides as the policy does, whichever attempts it was asked about before", () => {
    const input = fc.record({
      failure: fc.record({
        reason: fc.oneof({ weight: 5, arbitrary: mendable }, { weight: 1, arbitrary: hopeless }),
        message: fc.string(),
        retryAfterMillis: fc.option(fc.nat(), { nil: undefined })
      }),
      attempts: fc.integer({ min: 1, max: 110 }),
      elapsedMillis: fc.nat(),
      random: share
    })
    fc.assert(
      fc.property(policy, fc.array(input, { minLength: 1, maxLength: 5 }), (policy, inputs) => {
        const schedule = retrySchedule(policy)
        for (const input of inputs) {
          const delay = nextDelay(policy, input)
          const outcome = Effect.runSync(decide(schedule, input))
          expect(outcome.kind).toBe(delay === undefined ? "Dead" : "Retry")
          expect("delayMillis" in outcome ? outcome.delayMillis : 0).toBeCloseTo(delay ?? 0, 3)
          expect(outcome).toHaveProperty("failure", input.failure)
        }
      })
    )
  })
})
