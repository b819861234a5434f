import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parse } from "../../src/match/Condition.ts"
import { compile } from "../../src/match/Decision.ts"
import { equal } from "../../src/match/Operator.ts"
import { clause, data, document, snapshots, value, values } from "./Arbitrary.ts"
import { type Document, type Json, type Snapshots, evaluate } from "./NaiveCondition.ts"
import { runs } from "../support/Seed.ts"

const decide = (document: Document, data: Json, snapshots?: Snapshots): boolean | undefined =>
  compile(parse(document))({ data, snapshots })

describe("a condition", () => {
  test("holds, does not hold or cannot be evaluated exactly as the naive evaluator says", () => {
    const seen = { true: 0, false: 0, undefined: 0 }
    fc.assert(
      fc.property(document, data, snapshots, (document, data, snapshots) => {
        const expected = evaluate(document, data, snapshots)
        seen[`${expected}`] += 1
        expect(decide(document, data, snapshots)).toBe(expected)
      }),
      { numRuns: runs(5000) }
    )
    // None of the three answers is so rare that the property would not have met it.
    expect(Math.min(seen.true, seen.false, seen.undefined)).toBeGreaterThan(runs(250))
  })

  test.each(Object.keys(values))("with only the operator %s gives the result of the naive evaluator", (op) => {
    fc.assert(
      fc.property(values[op]!, value, fc.boolean(), (value, actual, negate) => {
        const document = { attr: "a", op, value, negate }
        expect(decide(document, { a: actual })).toBe(evaluate(document, { a: actual }))
      }),
      { numRuns: runs(1000) }
    )
  })

  test("that is negated has the opposite result, or still cannot be evaluated", () => {
    fc.assert(
      fc.property(clause, data, (clause, data) => {
        const plain = evaluate({ ...clause, negate: false }, data)
        expect(decide({ ...clause, negate: true }, data)).toBe(plain === undefined ? undefined : !plain)
      })
    )
  })

  test("is evaluated from left to right and no further than needed", () => {
    const unanswerable = { attr: "missing", value: 1 }
    const right = { attr: "a", value: 1 }
    const wrong = { attr: "a", value: 2 }
    expect(decide({ and: [wrong, unanswerable] }, { a: 1 })).toBe(false)
    expect(decide({ and: [unanswerable, wrong] }, { a: 1 })).toBeUndefined()
    expect(decide({ or: [right, unanswerable] }, { a: 1 })).toBe(true)
    expect(decide({ or: [unanswerable, right] }, { a: 1 })).toBeUndefined()
    expect(decide({ or: [wrong, { and: [right, unanswerable] }, right] }, { a: 1 })).toBeUndefined()
  })

  test("sees only own properties of the data", () => {
    for (const attr of ["toString", "constructor", "__proto__", "a.length", "b.length", "b.0"]) {
      expect(decide({ attr, value: "x", negate: true }, { a: "text", b: ["x"] })).toBeUndefined()
    }
    expect(decide({ attr: "a", op: "contains", value: "toString" }, { a: {} })).toBe(false)
  })

  test("treats an attribute with the name of an inherited property like any other", () => {
    const data = JSON.parse('{"__proto__": {"constructor": 1}}') as Json
    expect(decide({ attr: "__proto__.constructor", value: 1 }, data)).toBe(true)
  })
})

describe("a path under context", () => {
  const context = { username: "sync", event: "updated", request: { method: "PATCH" } }
  const holds = (document: Document, known?: unknown) =>
    compile(parse(document))({ data: { username: "data", config: { context: 1 } }, context: known })

  test("reads what is known of the change, and nothing of the object", () => {
    expect(holds({ attr: "context.username", value: "sync" }, context)).toBe(true)
    expect(holds({ attr: "context.username", value: "sync", negate: true }, context)).toBe(false)
    expect(holds({ attr: "context.request.method", op: "in", value: ["PUT", "PATCH"] }, context)).toBe(true)
    expect(holds({ attr: "context.username", value: "data" }, undefined)).toBeUndefined()
    expect(holds({ attr: "context.nothing", value: "x" }, context)).toBeUndefined()
  })

  test("is null behind the request of a change by plain SQL", () => {
    const bySql = { ...context, username: "", request: null }
    expect(holds({ attr: "context.request.method", value: null }, bySql)).toBe(true)
    expect(holds({ attr: "context.request.method", value: "PATCH", negate: true }, bySql)).toBe(true)
  })

  test("does not change, so the condition that asks for that is refused", () => {
    expect(() => parse({ attr: "context.username", op: "changed" })).toThrow("'context.username' is in neither")
  })
})

describe("a pattern", () => {
  const matches = (pattern: string, text: string) => decide({ attr: "a", op: "regex", value: pattern }, { a: text })

  test("must match from the start, not to the end", () => {
    expect(matches("b", "abc")).toBe(false)
    expect(matches("a", "abc")).toBe(true)
    expect(matches("b|a", "abc")).toBe(true)
  })

  test("matches `$` only at the end and before a final line break", () => {
    expect(["abc", "abc\n", "abc\n\n", "abcd", "abc\nd"].map((text) => matches("abc$", text))).toEqual([
      true,
      true,
      false,
      false,
      false
    ])
  })

  test("takes time linear in the text, even if backtracking would take exponential time", () => {
    const text = "a".repeat(20_000)
    expect(matches("(a|a)*b", text)).toBe(false)
    expect(matches("(a+)+$", `${text}!`)).toBe(false)
    expect(matches("(.*)*.*c", text)).toBe(false)
  })
})

describe("equality", () => {
  const { tree } = fc.letrec<{ readonly tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<Json>(null, true, false, 0, 1, -0, 1.5, "", "1", "true", "null"),
      fc.array(tie("tree"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("tree"), { noNullPrototype: true })
    )
  }))

  test("is Python's, for any JSON", () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        expect(equal(a, b)).toBe(evaluate({ attr: "x", value: b }, { x: a }))
        expect(equal(a, structuredClone(a))).toBe(true)
        expect(equal(b, a)).toBe(equal(a, b))
      }),
      { numRuns: runs(2000) }
    )
  })

  test.each<readonly [Json, Json, boolean]>([
    [1, true, true],
    [0, false, true],
    [1, "1", false],
    ["", null, false],
    [0, null, false],
    [[], null, false],
    [[1, [true]], [true, [1]], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 1], false],
    [{ a: 1, b: [] }, { b: [], a: true }, true],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: null }, { b: null }, false],
    [{}, [], false],
    [JSON.parse('{"__proto__": {}}') as Json, { a: 1 }, false]
  ])("of %j and %j is %s", (a, b, expected) => {
    expect(equal(a, b)).toBe(expected)
    expect(equal(b, a)).toBe(expected)
  })
})
