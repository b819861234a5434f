import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { color, email, slug, text, timeZone } from "../../../src/inventory/field/Text.ts"
import { codePoint } from "../../support/CodePoint.ts"

const noString = { errors: ["Not a valid string."] }
const blank = { errors: ["This field may not be blank."] }
const tooLong = (max: number) => ({ errors: [`Ensure this field has no more than ${max} characters.`] })

describe("a text", () => {
  test.each([
    ["Site 1", "Site 1"],
    ["  trimmed\n", "trimmed"],
    [5, "5"],
    [1.5, "1.5"],
    ["é\u{1f600}", "é\u{1f600}"],
    ["a\nb", "a\nb"]
  ])("is read from %j", (input, value) => {
    expect(text().parse(input)).toEqual({ value })
  })

  test.each([[true], [false], [[]], [["a"]], [{}], [{ toString: 1 }]])("is not read from %j", (input) => {
    expect(text().parse(input)).toEqual(noString)
  })

  test("is not null, unless it is nullable", () => {
    expect(text().parse(null)).toEqual({ errors: ["This field may not be null."] })
    expect(text({ nullable: true }).parse(null)).toEqual({ value: null })
  })

  test("is not blank, unless it is optional", () => {
    for (const input of ["", "  ", "\n"]) {
      expect(text().parse(input)).toEqual(blank)
      expect(text({ default: "x" }).parse(input)).toEqual(blank)
      expect(text({ optional: true }).parse(input)).toEqual({ value: "" })
      expect(text({ nullable: true }).parse(input)).toEqual({ value: null })
    }
  })

  test("keeps surrounding white space only if it is significant", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ \t\n]{0,3}[a-z ]{1,5}[ \t\n]{0,3}$/), (input) => {
        expect(text({ optional: true }).parse(input)).toEqual({ value: input.trim() })
        expect(text({ optional: true, verbatim: true }).parse(input)).toEqual({ value: input })
      })
    )
  })

  test("has a maximum of characters, counted in code points as in Postgres", () => {
    const word = fc.string({ unit: codePoint, maxLength: 12 }).map((each) => each.replaceAll(/[\s\0\ufeff]/g, "x"))
    fc.assert(
      fc.property(word, (input) => {
        const length = Array.from(input).length
        const parsed = text({ max: 6, optional: true }).parse(input)
        expect(parsed).toEqual(length <= 6 ? { value: input } : tooLong(6))
      })
    )
  })

  test("is refused if Postgres cannot store it", () => {
    expect(text().parse("a\0b")).toEqual({ errors: ["Null characters are not allowed."] })
    expect(text().parse("half \ud83d of a character")).toEqual(noString)
    expect(text({ verbatim: true, optional: true }).parse("\ude00")).toEqual(noString)
  })

  test("has its default if none is given", () => {
    expect(text().initial).toBeUndefined()
    expect(text({ optional: true }).initial?.()).toBe("")
    expect(text({ default: "x" }).initial?.()).toBe("x")
    expect(text({ nullable: true }).initial?.()).toBeNull()
    expect([text(), text({ optional: true }), text({ default: "o'x" })].map((field) => field.sqlDefault)).toEqual([
      undefined,
      "''",
      "'o''x'"
    ])
  })
})

describe("a slug", () => {
  const wrong = { errors: [`Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`] }

  test.each([["site-1"], ["A_b"], ["0"], ["-"]])("is %j", (input) => {
    expect(slug().parse(input)).toEqual({ value: input })
  })

  test.each([["a b"], ["é"], ["a.b"], ["a/b"], ["a\nb"], ["ä"]])("is not %j", (input) => {
    expect(slug().parse(input)).toEqual(wrong)
  })

  test("is not blank and has at most 100 characters", () => {
    expect(slug().parse("")).toEqual(blank)
    expect(slug().parse("a".repeat(100))).toEqual({ value: "a".repeat(100) })
    expect(slug().parse("a".repeat(101))).toEqual(tooLong(100))
  })
})

describe("a color", () => {
  test("is six hexadecimal digits in lower case", () => {
    expect(color().parse("aa1409")).toEqual({ value: "aa1409" })
    expect(color().parse("9e9e9e7")).toEqual(tooLong(6))
    for (const input of ["AA1409", "aa140", "#aa140", "gg1409", 123]) {
      expect(color().parse(input)).toEqual({ errors: ["Enter a valid hexadecimal RGB color code."] })
    }
  })
})

describe("an email address", () => {
  const field = email({ optional: true })

  test.each([["a@b.c"], ["first.last+tag@sub.example.org"], ["ä@ö.example"], [""]])("may be %j", (input) => {
    expect(field.parse(input)).toEqual({ value: input })
  })

  test.each([["a"], ["@"], ["a@b"], ["a b@c.d"], ["a@b@c.d"], ["@b.c"], ["a@.c"], ["a@b."]])("is not %j", (input) => {
    expect(field.parse(input)).toEqual({ errors: ["Enter a valid email address."] })
  })

  test("has at most 254 characters, so that a long one costs no time", () => {
    expect(field.parse(`a@${".".repeat(1_000_000)}`)).toEqual(tooLong(254))
  })
})

describe("a time zone", () => {
  const field = timeZone()

  test.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "Europe/Berlin"],
    ["UTC", "UTC"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["US/Eastern", "US/Eastern"],
    ["", null],
    [null, null]
  ])("%j is %j", (input, value) => {
    expect(field.parse(input)).toEqual({ value })
  })

  test.each([["Europe/Berlín"], ["Mars/Olympus"], ["+01:00"], ["Europe / Berlin"], ["x"]])("%j is none", (input) => {
    expect(field.parse(input)).toEqual({ errors: ["A valid timezone is required."] })
  })
})
