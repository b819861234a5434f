import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { contextProblem, namesOf } from "../../../src/auth/password/ContextWords.ts"

const problem = (word: string) => `Use at least 8 characters beside "${word}", which others guess first.`

describe("a password", () => {
  test("needs 8 characters beside words of its context, in any case", () => {
    for (const [password, word] of [
      ["Rackwire2026", "rackwire"],
      ["netboxnetbox", "netbox"],
      ["ACME-acme-1", "acme"],
      ["rackwire@netbox", "rackwire"],
      // The longer word is removed first: the rest is short.
      ["acmecorp1234567", "acmecorp"]
    ] as const)
      expect([password, contextProblem(password, ["Acme", "acmecorp"])]).toEqual([password, problem(word)])
    for (const password of ["netbox12345678", "correct horse", "acme\u{1f600}".padEnd(20, "\u{1f600}"), "short"])
      expect([password, contextProblem(password, ["Acme"])]).toEqual([password, undefined])
  })

  test("is right with 8 characters that are part of no word", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{8,40}$/), fc.constantFrom("rackwire", "netbox", "acme"), (digits, word) => {
        expect(contextProblem(digits.slice(0, 4) + word + digits.slice(4), ["acme"])).toBeUndefined()
        expect(contextProblem(digits.slice(0, 7) + word, ["acme"])).toBe(problem(word))
      })
    )
  })

  test("may have two characters of a short name, by chance", () => {
    expect(contextProblem("jo1234567", ["jo"])).toBeUndefined()
    expect(contextProblem("joe12345", ["joe"])).toBe(problem("joe"))
  })
})

test("the names of a user are those that others see, and the e-mail address without its domain", () => {
  const row = { username: "mk", first_name: "Mia", last_name: null, email: "mia.klein@example.com" }
  expect(namesOf(row)).toEqual(["mk", "Mia", "", "mia.klein"])
})
