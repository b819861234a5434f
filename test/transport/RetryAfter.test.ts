import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { retryAfter, delaySecondsMax } from "../../src/transport/RetryAfter.ts"

describe("Retry-After", () => {
  const now = Date.UTC(2026, 10, 20, 12)

  test("in seconds is that many, up to a week", () => {
    const digits = fc.oneof(fc.nat(delaySecondsMax).map(String), fc.stringMatching(/^[0-9]{1,400}$/))
    fc.assert(
      fc.property(digits, fc.constantFrom("", " ", "\t"), (asked, space) => {
        expect(retryAfter(`${space}${asked}${space}`, now)).toBe(Math.min(Number(asked), delaySecondsMax) * 1000)
      })
    )
  })

  test("as a date is the time until then, and none when it has passed", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (offset) => {
        const date = new Date(now + offset * 1000).toUTCString()
        expect(retryAfter(date, now)).toBe(Math.max(offset * 1000, 0))
      })
    )
  })

  test.each([
    "",
    " ",
    "soon",
    "-1",
    "1.5",
    "1e3",
    "0x10",
    "+5",
    "5 seconds",
    "NaN",
    "Wed, 1",
    "Wed, 21 Oct 2015 07:28:00",
    "Wed, 21 Oct 2015 07:28:00 GMT+1",
    "Wed, 99 Oct 2015 07:28:00 GMT",
    "2026-11-20T12:00:00Z"
  ])("says nothing with %j", (header) => {
    expect(retryAfter(header, now)).toBeUndefined()
  })

  test("says nothing when it is not there", () => {
    expect(retryAfter(undefined, now)).toBeUndefined()
  })

  test("is a time or nothing, for any text", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.date().map(String),
      fc.stringMatching(/^[A-Z][a-z]{2}, [A-Za-z0-9: ]{0,24}$/)
    )
    fc.assert(
      fc.property(texts, (header) => {
        const asked = retryAfter(header, now) ?? 0
        expect(Number.isFinite(asked)).toBe(true)
        expect(asked).toBeGreaterThanOrEqual(0)
      })
    )
  })
})
