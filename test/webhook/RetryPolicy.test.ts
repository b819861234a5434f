import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parsePolicy, usualPolicy } from "../../src/webhook/RetrySchedule.ts"
import { delaySecondsMax } from "../../src/transport/RetryAfter.ts"
import { delaysOf, policy } from "./RetryPolicies.ts"
import { runs } from "../support/Seed.ts"

describe("a policy as JSON", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(policy, fc.option(fc.nat(30 * 86_400)), (plain, total) => {
        const policy = total === null ? plain : { ...plain, total }
        expect(parsePolicy(JSON.parse(JSON.stringify(policy)))).toEqual(JSON.parse(JSON.stringify(policy)))
      })
    )
    expect(parsePolicy(usualPolicy)).toEqual(usualPolicy)
  })

  test("need not name a jitter nor a cap", () => {
    expect(parsePolicy({ kind: "exponential", base: 1, factor: 2, attempts: 3 })).toEqual({
      kind: "exponential",
      base: 1,
      factor: 2,
      cap: delaySecondsMax,
      attempts: 3,
      jitter: 0
    })
    expect(parsePolicy({ kind: "list", delays: [] })).toEqual({ kind: "list", delays: [], jitter: 0 })
  })

  const wrong: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    base: [null, "5", -1, delaySecondsMax + 1, [], {}, true],
    factor: [null, "2", 0.99, 100.5, [2]],
    cap: ["x", -0.1, delaySecondsMax + 1, {}],
    attempts: [null, 0, 101, 1.5, "8", -3],
    jitter: ["0", -0.1, 1.1, []],
    total: [null, "1", -1, 31 * 86_400, {}],
    delay: [null, "60", -1, delaySecondsMax + 1],
    delays: [
      null,
      5,
      {},
      "1,2",
      [null],
      ["1"],
      [-1],
      [delaySecondsMax + 1],
      [[1]],
      Array.from({ length: 100 }, () => 1)
    ],
    kind: [null, "", "linear", "Exponential", 1, ["fixed"], {}, "toString"]
  }

  test("with a wrong field is refused with the name of the field", () => {
    const limited = fc.oneof(
      policy,
      policy.map((policy) => ({ ...policy, total: 60 }))
    )
    const faults = limited.chain((policy) =>
      fc
        .constantFrom(...Object.keys(policy))
        .chain((name) =>
          fc.record({ policy: fc.constant(policy), name: fc.constant(name), value: fc.constantFrom(...wrong[name]!) })
        )
    )
    fc.assert(
      fc.property(faults, ({ policy, name, value }) => {
        const problem = parsePolicy({ ...policy, [name]: value })
        expect(String(problem).split(" ")[0]).toBe(name)
      }),
      { numRuns: runs(500) }
    )
  })

  test("without a field that it needs is refused with the name of the field", () => {
    for (const [kind, names] of [
      ["exponential", ["base", "factor", "attempts"]],
      ["fixed", ["delay", "attempts"]],
      ["list", ["delays"]]
    ] as const) {
      const whole: Record<string, unknown> = { kind, base: 1, factor: 1, attempts: 1, delay: 1, delays: [1] }
      const known = Object.fromEntries(["kind", ...names].map((name) => [name, whole[name]]))
      expect(typeof parsePolicy(known)).toBe("object")
      for (const name of names)
        expect(parsePolicy({ ...known, [name]: undefined })).toMatch(new RegExp(`^${name} must`))
    }
  })

  test("with a field of another kind, or of none, is refused with the name of the field", () => {
    expect(parsePolicy({ kind: "fixed", delay: 1, attempts: 2, factor: 2 })).toBe("factor is not known for fixed.")
    expect(parsePolicy({ kind: "list", delays: [], Jitter: 0 })).toBe("Jitter is not known for list.")
    expect(parsePolicy(JSON.parse('{"kind": "list", "delays": [], "__proto__": 1}'))).toBe(
      "__proto__ is not known for list."
    )
  })

  test.each([[null], [[]], [[{ kind: "fixed" }]], ["fixed"], [5], [undefined]])("is an object, not %j", (input) => {
    expect(parsePolicy(input)).toBe("A retry schedule is an object.")
  })

  test("is a policy within bounds or a sentence, for any JSON", () => {
    const names = fc.constantFrom("kind", "base", "factor", "cap", "attempts", "jitter", "delay", "delays", "__proto__")
    const loose = fc.dictionary(names, fc.oneof(fc.constantFrom("exponential", "fixed", "list", 1, 2), fc.jsonValue()))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), loose), (input) => {
        const read = parsePolicy(JSON.parse(JSON.stringify(input)))
        const sound =
          typeof read === "string"
            ? /^.+ .+\.$/s.test(read)
            : delaysOf(read).every((delay) => delay >= 0 && delay <= delaySecondsMax * 1000)
        expect(sound).toBe(true)
      }),
      { numRuns: runs(1000) }
    )
  })
})
