import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { View } from "../../../src/inventory/Field.ts"
import { choice } from "../../../src/inventory/field/Choice.ts"
import { decimal, flag, integer, json, uuid } from "../../../src/inventory/field/Scalar.ts"
import { json as anyJson } from "../Rows.ts"

const noView: View = {
  base: "",
  row: () => undefined,
  label: (type) => type,
  nested: () => null,
  customFields: () => [],
  counted: () => undefined,
  eventPath: () => undefined
}
const isNull = { errors: ["This field may not be null."] }

describe("a flag", () => {
  const field = flag({ default: true })

  test.each([true, 1, "true", "True", "TRUE", "t", "on", "yes", "y", "1"])("is true for %j", (input) => {
    expect(field.parse(input)).toEqual({ value: true })
  })

  test.each([false, 0, "false", "False", "f", "off", "NO", "n", "0"])("is false for %j", (input) => {
    expect(field.parse(input)).toEqual({ value: false })
  })

  test.each([[""], ["maybe"], [2], [-1], [0.5], [[]], [["true"]], [[[1]]], [{}], [{ toString: 1 }], ["true "]])(
    "is not read from %j",
    (input) => {
      expect(field.parse(input)).toEqual({ errors: ["Must be a valid boolean."] })
    }
  )

  test("is never null, and by default as declared", () => {
    expect(field.parse(null)).toEqual(isNull)
    expect([field.initial?.(), field.sqlDefault]).toEqual([true, "true"])
    expect([flag({ default: false }).initial?.(), flag({ default: false }).sqlDefault]).toEqual([false, "false"])
  })
})

describe("a whole number", () => {
  const wrong = { errors: ["A valid integer is required."] }

  test("is read from itself, as a number and as text", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(integer().parse(value)).toEqual({ value })
        expect(integer().parse(` ${value} `)).toEqual({ value })
        expect(integer().parse(`${value}.0`)).toEqual({ value })
      })
    )
  })

  test.each([
    [1.5],
    ["1.5"],
    [""],
    [" "],
    ["abc"],
    ["0x10"],
    ["0b1"],
    ["1e3"],
    ["1 2"],
    ["--1"],
    [1e300],
    [2 ** 53],
    ["9007199254740993"],
    ["Infinity"],
    ["NaN"],
    [true],
    [[]],
    [[5]],
    [{}]
  ])("is not read from %j", (input) => {
    expect(integer().parse(input)).toEqual(wrong)
  })

  test("lies within its bounds", () => {
    const field = integer({ min: 1, max: 10 })
    expect([1, 10, "7"].map((input) => field.parse(input))).toEqual([{ value: 1 }, { value: 10 }, { value: 7 }])
    expect(field.parse(0)).toEqual({ errors: ["Ensure this value is greater than or equal to 1."] })
    expect(field.parse(11)).toEqual({ errors: ["Ensure this value is less than or equal to 10."] })
  })

  test("may be null only if it is optional", () => {
    expect(integer().parse(null)).toEqual(isNull)
    expect(integer({ optional: true }).parse(null)).toEqual({ value: null })
    expect([integer().initial, integer({ optional: true }).initial?.()]).toEqual([undefined, null])
  })
})

describe("a decimal", () => {
  const latitude = decimal({ digits: 8, places: 6, min: -90, max: 90, optional: true })

  test("that is blank is null, where it may be", () => {
    for (const blank of ["", "  "]) {
      expect(latitude.parse(blank)).toEqual({ value: null })
      const needed = { errors: ["A valid number is required."] }
      expect(decimal({ digits: 4, places: 1 }).parse(blank)).toEqual(needed)
      expect(decimal({ digits: 4, places: 1, default: 1 }).parse(blank)).toEqual(needed)
      expect(integer({ optional: true }).parse(blank)).toEqual({ errors: ["A valid integer is required."] })
    }
  })
  const value = fc.integer({ min: -90_000_000, max: 90_000_000 }).map((micros) => Number(`${micros}e-6`) + 0)

  test("is read from itself, as a number and as text", () => {
    fc.assert(
      fc.property(value, (value) => {
        expect(latitude.parse(value)).toEqual({ value })
        expect(latitude.parse(String(value))).toEqual({ value })
        expect(latitude.parse(value.toFixed(6))).toEqual({ value })
      })
    )
  })

  test("is a number in the representation, and a text of fixed places in a snapshot", () => {
    fc.assert(
      fc.property(value, (value) => {
        expect(latitude.represent(value, noView, "")).toBe(value)
        expect(latitude.snapshot(value, noView, "")).toBe(value.toFixed(6))
      })
    )
    expect([latitude.represent(null, noView, ""), latitude.snapshot(null, noView, "")]).toEqual([null, null])
  })

  test.each([
    [".5", 0.5],
    ["5.", 5],
    ["1e1", 10],
    ["+1.50", 1.5],
    [" 2 ", 2]
  ])("is read from %j as %d", (input, value) => {
    expect(latitude.parse(input)).toEqual({ value })
  })

  test.each([["abc"], ["0x1F"], ["NaN"], ["Infinity"], ["-Infinity"], ["1e400"], [true], [[]], [[1]], [{}], ["."]])(
    "is not read from %j",
    (input) => {
      expect(latitude.parse(input)).toEqual({ errors: ["A valid number is required."] })
    }
  )

  test.each([
    [100, "Ensure that there are no more than 2 digits before the decimal point."],
    [-1e20, "Ensure that there are no more than 2 digits before the decimal point."],
    [1.2345678, "Ensure that there are no more than 6 decimal places."],
    ["0.0000001", "Ensure that there are no more than 6 decimal places."],
    [1e-300, "Ensure that there are no more than 6 decimal places."],
    [90.000001, "Ensure this value is less than or equal to 90."],
    [-90.5, "Ensure this value is greater than or equal to -90."]
  ])("refuses %j", (input, message) => {
    expect(latitude.parse(input)).toEqual({ errors: [message] })
  })
})

describe("a choice", () => {
  const choices = { active: "Active", "o'hara": "O'Hara" }
  const field = choice(choices, { default: "active" })
  const bare = choice({ GET: "GET", "1": "One", true: "True" }, { bare: true })

  test("is one of its values, given as text, number or boolean", () => {
    expect(field.parse("o'hara")).toEqual({ value: "o'hara" })
    expect([bare.parse(1), bare.parse(true)]).toEqual([{ value: "1" }, { value: "true" }])
  })

  test("is refused otherwise, with NetBox's message", () => {
    expect(field.parse("Active")).toEqual({ errors: ["Active is not a valid choice."] })
    expect(field.parse("toString")).toEqual({ errors: ["toString is not a valid choice."] })
    expect(field.parse(5)).toEqual({ errors: ["5 is not a valid choice."] })
    expect(bare.parse("FOO")).toEqual({ errors: ['"FOO" is not a valid choice.'] })
    expect(field.parse("")).toEqual({ errors: ["This field may not be blank."] })
    expect(field.parse(null)).toEqual(isNull)
    const direct = `Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.`
    for (const input of [{ value: "active" }, ["active"], []]) expect(field.parse(input)).toEqual({ errors: [direct] })
  })

  test("that is optional and has no default may be blank or null, and is then null", () => {
    const optional = choice(choices, { optional: true })
    expect([optional.parse(""), optional.parse(null), optional.initial?.()]).toEqual([
      { value: null },
      { value: null },
      null
    ])
    for (const each of [field, choice(choices, { default: "active", optional: true })]) {
      expect([each.initial?.(), each.sqlDefault, each.nullable]).toEqual(["active", "'active'", false])
    }
  })

  test("is shown with its label, or bare, and as its value in a snapshot", () => {
    expect(field.represent("active", noView, "")).toEqual({ value: "active", label: "Active" })
    expect(field.represent("removed", noView, "")).toEqual({ value: "removed", label: "" })
    expect(field.represent(null, noView, "")).toBeNull()
    expect(bare.represent("GET", noView, "")).toBe("GET")
    expect(field.snapshot("active", noView, "")).toBe("active")
  })

  test("that is not made is the empty text in a snapshot, or null, as the column of NetBox has it", () => {
    const snapshotOfNone = (options: object) =>
      choice({ half: "Half" }, { optional: true, ...options }).snapshot(null, noView, "")
    expect(snapshotOfNone({})).toBe("")
    expect(snapshotOfNone({ bare: true })).toBe("")
    expect(snapshotOfNone({ nullInSnapshot: true })).toBeNull()
    expect(snapshotOfNone({ numeric: true })).toBeNull()
  })

  test("is restricted to its values by the database as well", () => {
    expect(field.constraint).toBe("$ in ('active', 'o''hara')")
  })
})

describe("JSON", () => {
  test("is stored unchanged, even null", () => {
    fc.assert(
      fc.property(anyJson, (input) => {
        expect(json().parse(input)).toEqual({ value: input })
      })
    )
    expect([json().parse(null), json().initial?.()]).toEqual([{ value: null }, null])
  })

  test.each([[String.raw`\u0000`], [String.raw`\\u0000 \ud83d`], ["\u{1f600}\u{10ffff}"], ["\\"]])(
    "may contain text that looks like a forbidden character: %j",
    (text) => {
      expect(json().parse({ [text]: [text] })).toEqual({ value: { [text]: [text] } })
    }
  )

  test("is refused if Postgres cannot store it", () => {
    const refused = { errors: ["Value must be valid JSON."] }
    for (const text of ["\0", "a\0", "\\\0", "\ud83d", "\ude00\ud83d", "\\\udfff"]) {
      expect(json().parse(text)).toEqual(refused)
      expect(json().parse([{ a: [text] }])).toEqual(refused)
      expect(json().parse({ [text]: 1 })).toEqual(refused)
    }
  })

  test("is refused if it nests too deeply to be written", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown
    expect(json().parse(deep)).toEqual({ errors: ["Value must not be nested more than 98 levels deep."] })
  })
})

describe("a UUID", () => {
  test("is accepted in either case and stored in lower case, as Postgres prints it", () => {
    fc.assert(
      fc.property(fc.uuid(), (value) => {
        expect(uuid().parse(value)).toEqual({ value })
        expect(uuid().parse(value.toUpperCase())).toEqual({ value })
      })
    )
  })

  test.each([
    [""],
    ["11111111222243338444555555555555"],
    ["11111111-2222-4333-8444-55555555555g"],
    [["11111111-2222-4333-8444-555555555555"]],
    [5],
    [[]],
    [{}]
  ])("is not read from %j", (input) => {
    expect(uuid().parse(input)).toEqual({ errors: ["Must be a valid UUID."] })
  })
})
