import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type Breaker,
  afterAttempt as afterAttemptAt,
  closedBreaker,
  roomOf
} from "../../src/deliver/breaker/Breaker.ts"
import type { Failure } from "../../src/event/Outcome.ts"
import { usualPace } from "../../src/eventloop/Pace.ts"

const afterAttempt = (breaker: Breaker, now: number, failure: Failure | undefined): Breaker =>
  afterAttemptAt(breaker, now, failure, usualPace.breaker)

const failure = (reason: Failure["reason"] = "Status", retryAfterMillis?: number): Failure => ({
  reason,
  message: "",
  retryAfterMillis
})

/** The breaker after attempts at these times, true for a success. */
const after = (results: ReadonlyArray<boolean>, from: Breaker = closedBreaker): Breaker =>
  results.reduce((breaker, isSuccess, at) => afterAttempt(breaker, at, isSuccess ? undefined : failure()), from)

/** Whether attempts with these results open it at any time. */
const isOpened = (results: ReadonlyArray<boolean>): boolean =>
  results.some((_, at) => after(results.slice(0, at + 1)).until !== undefined)

const failures = (count: number) => Array.from({ length: count }, () => false)

describe("a breaker", () => {
  test("opens after 16 failures in a row, and not before", () => {
    expect(after(failures(15)).until).toBeUndefined()
    expect(after(failures(16)).until).toBe(15 + 5000)
  })

  test("that is open opens anew when an attempt fails that did not wait for it, and not when another one does", () => {
    const open = after(failures(16))
    const [now, usual] = [20, usualPace.breaker]
    expect(afterAttemptAt(open, now, failure(), usual).openings).toBe(1)
    expect(afterAttemptAt(open, now, failure(), usual, true)).toMatchObject({ openings: 2, until: now + 10_000 })
    expect(afterAttemptAt(open, now, undefined, usual, true)).toEqual(closedBreaker)
  })

  test("opens when four of five attempts fail, even if rarely in a row", () => {
    const five = fc.shuffledSubarray([true, false, false, false, false], { minLength: 5 })
    fc.assert(
      fc.property(fc.array(five, { minLength: 20 }), (fives) => {
        expect(isOpened(fives.flat())).toBe(true)
      })
    )
  })

  test("stays closed as long as every other attempt succeeds", () => {
    const pair = fc.constantFrom([true, false], [false, true])
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        expect(isOpened(pairs.flat())).toBe(false)
      })
    )
  })

  test("is closed by any success when it is open, whatever came before", () => {
    const event = fc.tuple(fc.nat(1_000_000), fc.boolean(), fc.option(fc.nat(1_000_000), { nil: undefined }))
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const breaker = events.reduce(
          (breaker, [now, isSuccess, asked]) =>
            afterAttempt(breaker, now, isSuccess ? undefined : failure("Reset", asked)),
          closedBreaker
        )
        const next = afterAttempt(breaker, 0, undefined)
        expect(next).toEqual(breaker.until === undefined ? { ...closedBreaker, failing: next.failing } : closedBreaker)
      })
    )
  })

  test("opens after five attempts in a row that met an overloaded receiver, or when every other one does", () => {
    const tooMuch = { ...failure(), isTooMuch: true }
    const openedAt = (results: ReadonlyArray<Failure | undefined>): number => {
      let breaker = closedBreaker
      return results.findIndex((result, at) => {
        breaker = afterAttempt(breaker, at, result)
        return breaker.until !== undefined
      })
    }
    expect(openedAt(Array.from({ length: 10 }, () => tooMuch))).toBe(4)
    expect(openedAt(Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? tooMuch : undefined)))).toBeGreaterThan(9)
  })

  test("lets no attempt begin while it is open, and then one at a time", () => {
    const open = after(failures(16))
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(100), fc.integer({ min: 1, max: 100 }), (now, inFlight, max) => {
        expect(roomOf(open, now, inFlight, max)).toBe(now >= open.until! && inFlight === 0 ? 1 : 0)
        expect(roomOf(closedBreaker, now, inFlight, max)).toBe(Math.max(max - inFlight, 0))
      })
    )
  })

  test("stays open twice as long after each failed probe, up to five minutes", () => {
    let breaker = after(failures(16))
    const pauses = Array.from({ length: 9 }, () => {
      const now = breaker.until!
      breaker = afterAttempt(breaker, now, failure())
      return (breaker.until! - now) / 1000
    })
    expect(pauses).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300])
  })

  test("is not opened for longer by attempts that were under way when it opened", () => {
    const open = after(failures(16))
    expect(after(failures(10), open)).toMatchObject({ until: open.until, openings: 1 })
  })

  test("opens at once until the time that the receiver asks for, within five minutes", () => {
    expect(afterAttempt(closedBreaker, 1000, failure("Status", 30_000)).until).toBe(31_000)
    expect(afterAttempt(closedBreaker, 1000, failure("Status", 86_400_000)).until).toBe(301_000)
  })

  test.each(["Render", "Overrun", "Unrendered", "Expired", "Oversize", "Loop", "Declined"] as const)(
    "does not mind failures that are ours: %s",
    (reason) => {
      const breaker = Array.from({ length: 100 }).reduce<Breaker>(
        (each) => afterAttempt(each, 0, failure(reason)),
        closedBreaker
      )
      expect(breaker).toEqual(closedBreaker)
    }
  )
})
