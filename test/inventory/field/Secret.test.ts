import { dictionary } from "@zxcvbn-ts/language-common"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isCommonPassword } from "../../../src/inventory/field/CommonPasswords.ts"
import { digestToken } from "../../../src/inventory/Vault.ts"
import { password, sealed, tokenKey } from "../../../src/inventory/field/Secret.ts"
import { codePoint } from "../../support/CodePoint.ts"

const vault = {
  seal: (text: string) => `sealed ${text}`,
  open: (text: string) => text.slice(7),
  copy: () => "",
  prefix: "sealed ",
  prefixes: ["sealed "]
}

const noString = { errors: ["Not a valid string."] }
const blank = { errors: ["This field may not be blank."] }
const isNull = { errors: ["This field may not be null."] }
const noStrings: ReadonlyArray<unknown> = [5, true, [], {}, { toString: 1 }]

describe("a password", () => {
  test("is any text of 8 to 256 characters, kept exactly", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 256, unit: codePoint }), (input) => {
        fc.pre(!isCommonPassword(input))
        expect(password().parse(input)).toEqual({ value: input })
      })
    )
    const short = { errors: ["Ensure this field has at least 8 characters."] }
    expect([password().parse("7 chars"), password().parse("\u{1f600}".repeat(7))]).toEqual([short, short])
    expect(password().parse("x".repeat(257))).toEqual({
      errors: ["Ensure this field has no more than 256 characters."]
    })
    expect([password().parse(""), password().parse(null)]).toEqual([blank, isNull])
    for (const input of noStrings) expect(password().parse(input)).toEqual(noString)
  })

  test("is none of the most common ones in any case", () => {
    const common = dictionary["passwords-common"].filter((each) => each.length >= 8).slice(0, 3000)
    expect(common).toHaveLength(3000)
    for (const each of common) {
      for (const input of [each, each.toUpperCase()]) {
        expect(password().parse(input)).toEqual({ errors: ["This password is too common."] })
      }
    }
  })

  test("is required and never shown", () => {
    expect([password().initial, password().wire]).toEqual([undefined, "write"])
  })
})

describe("a sealed text", () => {
  const field = sealed({ max: 5 })

  test("is any text up to a length, kept exactly", () => {
    for (const input of ["", " a ", "\u{1f600}".repeat(5)]) expect(field.parse(input)).toEqual({ value: input })
    expect(field.parse("abcdef")).toEqual({ errors: ["Ensure this field has no more than 5 characters."] })
    expect(field.parse(null)).toEqual(isNull)
    for (const input of noStrings) expect(field.parse(input)).toEqual(noString)
  })

  test("is sealed when it is stored, and empty if it is empty", async () => {
    expect(await field.store!("abc", vault)).toBe("sealed abc")
    expect(await field.store!("", vault)).toBe("")
    expect([field.initial?.(), field.sqlDefault, field.wire]).toEqual(["", "''", "write"])
  })
})

describe("the key of a token", () => {
  const field = tokenKey({ copiedTo: "key_copy" })

  test("has 40 hexadecimal digits, generated if none are given", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{40}$/), (input) => {
        expect(field.parse(input)).toEqual({ value: input })
      })
    )
    const made = [field.initial?.(), field.initial?.()]
    expect(made.map((key) => field.parse(key))).toEqual(made.map((value) => ({ value })))
    expect(made[0]).not.toBe(made[1])
  })

  test("is refused otherwise, with NetBox's message if it has one", () => {
    expect(field.parse("a".repeat(39))).toEqual({ errors: ["Ensure this field has at least 40 characters."] })
    expect(field.parse("a".repeat(41))).toEqual({ errors: ["Ensure this field has no more than 40 characters."] })
    const digits = { errors: ["Use 40 hexadecimal digits, in lower case."] }
    for (const input of ["g".repeat(40), "A".repeat(40), ` ${"a".repeat(39)}`])
      expect(field.parse(input)).toEqual(digits)
    expect([field.parse(""), field.parse(null)]).toEqual([{ value: undefined }, isNull])
    for (const input of noStrings) expect(field.parse(input)).toEqual(noString)
  })

  test("is stored as a digest, unique, and shown once", async () => {
    const key = "0123456789abcdef0123456789abcdef01234567"
    expect(await field.store!(key, vault)).toBe(digestToken(key))
    expect([field.unique, field.wire]).toEqual([true, "once"])
  })
})
