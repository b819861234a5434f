import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { time } from "../../../src/inventory/field/Scalar.ts"
import { moment } from "../Rows.ts"
import { runs } from "../../support/Seed.ts"

const wrong =
  "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."

const field = time()

describe("a point in time", () => {
  test("is parsed from its canonical form and from other formats", () => {
    fc.assert(
      fc.property(moment, (canonical) => {
        const [, day, second, fraction = ""] = /^(.*)T([^.]*?)(\.\d+)?Z$/.exec(canonical)!
        const padded = fraction === "" ? ".000000" : fraction.padEnd(7, "0")
        for (const writing of [
          canonical,
          `${day} ${second}${fraction}+00:00`,
          `${day}T${second}${padded}Z`,
          `${day}T${second}${padded}999 -0000`,
          ` ${day}T${second}${fraction}+00 `,
          `${day}t${second}${fraction}z`
        ]) {
          expect(field.parse(writing)).toEqual({ value: canonical })
        }
      })
    )
  })

  test("of another zone is converted to UTC", () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })
    const millis = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1000)
    fc.assert(
      fc.property(millis, offset, (millis, offset) => {
        const local = new Date(millis + offset * 60_000).toISOString().slice(0, 19)
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
        const sign = offset < 0 ? "-" : "+"
        const [hh, mm] = [hours, minutes].map((part) => String(part).padStart(2, "0"))
        const value = new Date(millis).toISOString().replace(".000Z", "Z")
        expect(field.parse(`${local}${sign}${hh}:${mm}`)).toEqual({ value })
        expect(field.parse(`${local}${sign}${hh}${mm}`)).toEqual({ value })
      })
    )
  })

  test.each([
    ["2026-11-20T23:48", "2026-11-20T23:48:00Z"],
    ["2026-11-20 23:48:01.5", "2026-11-20T23:48:01.5Z"],
    ["2024-02-29T00:00Z", "2024-02-29T00:00:00Z"],
    ["2026-11-20T23:48:01+01", "2026-11-20T22:48:01Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"]
  ])("is read from %j", (input, value) => {
    expect(field.parse(input)).toEqual({ value })
  })

  test.each([
    [""],
    ["now"],
    ["2026-11-20"],
    ["23:48"],
    ["2026-11-20T23"],
    ["2026-11-20T23:48:01 CET"],
    ["2026-11-20T23:48:01+1"],
    ["20261120T234801Z"],
    ["Fri, 20 Nov 2026 23:48:01 GMT"],
    [1_795_000_000],
    [true],
    [[]],
    [{}]
  ])("is not read from %j", (input) => {
    expect(field.parse(input)).toEqual({ errors: [wrong] })
  })

  test.each([
    "2026-02-29T00:00Z",
    "2026-02-30T00:00Z",
    "2026-04-31T00:00+02:00",
    "2026-13-01T00:00Z",
    "2026-00-10T00:00Z",
    "2026-11-00T00:00Z",
    "2026-11-20T24:00Z",
    "2026-11-20T23:60Z",
    "2026-11-20T23:48:60Z",
    "2026-11-20T23:48:01+24:00",
    "2026-11-20T23:48:01+01:60"
  ])("is no day or hour that does not exist: %j", (input) => {
    expect(field.parse(input)).toEqual({ errors: [wrong] })
  })

  test.each(["0000-01-01T00:00Z", "0001-01-01T00:00+00:01", "9999-12-31T23:59:59-00:01"])(
    "has a year of four digits: not %j",
    (input) => {
      expect(field.parse(input)).toEqual({ errors: [wrong] })
    }
  )

  test("is always valid for Date, for any text of the right form", () => {
    const two = fc.nat(99).map((each) => String(each).padStart(2, "0"))
    const shape = fc.tuple(fc.nat(9999), two, two, two, two, two, two, two, fc.constantFrom("Z", "+", "-"))
    fc.assert(
      fc.property(shape, ([year, month, day, hour, minute, second, offset, minutes, sign]) => {
        const zone = sign === "Z" ? "Z" : `${sign}${offset}:${minutes}`
        const parsed = field.parse(
          `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${zone}`
        )
        const value = "value" in parsed ? String(parsed.value) : "2000-01-01T00:00:00Z"
        expect(new Date(value).toISOString()).toBe(value.replace("Z", ".000Z"))
      }),
      { numRuns: runs(2000) }
    )
  })

  test("may be null, unless the database fills it in", () => {
    expect(field.parse(null)).toEqual({ value: null })
    expect(time({ now: true }).parse(null)).toEqual({ errors: ["This field may not be null."] })
    expect([field.sqlDefault, time({ now: true }).sqlDefault]).toEqual([undefined, "now()"])
  })
})
