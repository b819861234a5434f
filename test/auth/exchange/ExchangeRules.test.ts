/** The rules of exchanged tokens. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isLike, ruleFor, rulesIn } from "../../../src/auth/exchange/ExchangeRules.ts"

const rule = { issuer: "https://ci.example", audience: "rackwire", subject: "repo:acme/*", user: "ci" }
const whole = { ...rule, claims: {}, write: false, minutes: 15 }
const claims = { iss: rule.issuer, aud: "rackwire", sub: "repo:acme/net:main" }

describe("rules", () => {
  it("have a lifetime of 15 minutes and read alone, if they do not say otherwise", () => {
    expect([rulesIn(undefined), rulesIn([rule])]).toEqual([[], [whole]])
    const more = { ...rule, write: true, minutes: 60, claims: { ref: "refs/heads/*" } }
    expect(rulesIn([more])).toEqual([more])
  })

  it.each([
    [{}, "expected a list"],
    [["a"], "rule 1: expected an object"],
    [[rule, { ...rule, subjekt: "a" }], 'rule 2: "subjekt" is not one of issuer'],
    [[{ ...rule, issuer: "http://ci.example" }], '"issuer" must be an address'],
    [[{ ...rule, issuer: 7 }], '"issuer" must be an address'],
    [[{ ...rule, audience: "" }], '"audience" must be a text'],
    [[{ ...rule, subject: "*" }], '"subject" must be a text with more than *'],
    [[{ ...rule, subject: "" }], '"subject" must be'],
    [[{ ...rule, user: null }], '"user" must be the name of a user'],
    [[{ ...rule, claims: { a: 1 } }], '"claims" must be an object of texts'],
    [[{ ...rule, write: "yes" }], '"write" must be true or false'],
    [[{ ...rule, minutes: 1441 }], '"minutes" must be an integer from 1 to 1440'],
    [[{ ...rule, minutes: 1.5 }], '"minutes" must be']
  ])("are refused: %j", (option, words) => {
    expect(rulesIn(option)).toContain(words)
  })
})

describe("a token", () => {
  const admits = (change: object, more: object = {}) => ruleFor([{ ...whole, ...more }], { ...claims, ...change })

  it("is admitted by issuer, audience and subject, and by further claims", () => {
    expect(admits({})).toMatchObject(rule)
    expect(admits({ aud: ["other", "rackwire"] })).toMatchObject(rule)
    expect(admits({ ref: "refs/heads/main" }, { claims: { ref: "refs/heads/*" } })).toMatchObject(rule)
  })

  it.each([
    [{ iss: "https://evil.example" }],
    [{ aud: "other" }],
    [{ aud: ["other"] }],
    [{ aud: undefined }],
    [{ sub: "repo:acme-evil/net" }],
    [{ sub: "xrepo:acme/net" }],
    [{ sub: ["repo:acme/net"] }],
    [{ sub: undefined }]
  ])("with %j is not", (change) => {
    expect(admits(change)).toBeUndefined()
  })

  it("without a claim of the rule, or with a list of values in it, is not", () => {
    const more = { claims: { ref: "refs/heads/*" } }
    expect([admits({}, more), admits({ ref: ["refs/heads/a"] }, more)]).toEqual([undefined, undefined])
  })
})

it("a pattern matches as a regular expression of its parts does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 })
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 6 })
  fc.assert(
    fc.property(text, pattern, (value, like) => {
      const expression = new RegExp(`^${like.replaceAll(".", "\\.").replaceAll("*", ".*")}$`)
      expect(isLike(value, like)).toBe(expression.test(value))
    })
  )
})
