import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ConditionError, isEmpty, parse } from "../../src/match/Condition.ts"
import { operators } from "../../src/match/Operator.ts"
import { runs } from "../support/Seed.ts"

/** The error that the document gives; undefined when it gives none. Any other exception is thrown on. */
const errorOf = (document: unknown): ConditionError | undefined => {
  try {
    parse(document)
    return undefined
  } catch (error) {
    if (error instanceof ConditionError) return error
    throw error
  }
}

const nested = (depth: number, inner: unknown): unknown =>
  Array.from({ length: depth }).reduce((node: unknown) => [node], inner)

interface Broken {
  readonly item: unknown
  /** Where in the item the fault lies; "" for the item itself. */
  readonly at: string
  readonly message: string
}

const names = Object.keys(operators).join(", ")
const ruleset = (kind: string) => `Ruleset must be a dictionary, not <class '${kind}'>.`
const mismatch = (op: string, value: unknown, kind: string): Broken => ({
  item: { attr: "x", op, value },
  at: "value",
  message: `Invalid type for ${op} operation: <class '${kind}'>`
})
const patternFault = (value: string): Broken => ({
  item: { attr: "x", op: "regex", value },
  at: "value",
  message: "Invalid value for regex: "
})

const broken: ReadonlyArray<readonly [string, Broken]> = [
  ["a list for a ruleset", { item: [], at: "", message: ruleset("list") }],
  ["a text for a ruleset", { item: "and", at: "", message: ruleset("str") }],
  ["a whole number for a ruleset", { item: 5, at: "", message: ruleset("int") }],
  ["a fraction for a ruleset", { item: 1.5, at: "", message: ruleset("float") }],
  ["a boolean for a ruleset", { item: true, at: "", message: ruleset("bool") }],
  ["null for a ruleset", { item: null, at: "", message: ruleset("NoneType") }],
  ["no key", { item: {}, at: "", message: "Ruleset must have exactly one logical operator (found 0)" }],
  [
    "two keys",
    { item: { and: [], or: [] }, at: "", message: "Ruleset must have exactly one logical operator (found 2)" }
  ],
  ["an unknown logic", { item: { foo: [] }, at: "", message: "Invalid logic type: foo (must be 'and' or 'or')" }],
  ["upper case", { item: { AND: [] }, at: "", message: "Invalid logic type: AND (must be 'and' or 'or')" }],
  ["and: null", { item: { and: null }, at: "and", message: "Expected a list of conditions, not <class 'NoneType'>." }],
  ["and: an object", { item: { and: {} }, at: "and", message: "Expected a list of conditions, not <class 'dict'>." }],
  ["or: a text", { item: { or: "x" }, at: "or", message: "Expected a list of conditions, not <class 'str'>." }],
  ["a scalar in a list", { item: { and: [5] }, at: "and[0]", message: ruleset("int") }],
  ["no attribute", { item: { value: 1 }, at: "attr", message: "The path of an attribute is required." }],
  [
    "an empty attribute",
    { item: { attr: "", value: 1 }, at: "attr", message: "The path of an attribute is required." }
  ],
  [
    "a number for the attribute",
    { item: { attr: 5, value: 1 }, at: "attr", message: "The path of an attribute is required." }
  ],
  [
    "a template for the attribute",
    {
      item: { attr: "{{ snapshots.prechange.status }}", value: "active" },
      at: "attr",
      message: "An attribute is a path and no template, such as snapshots.prechange.status"
    }
  ],
  ["no value", { item: { attr: "x" }, at: "value", message: "A value is required for the 'eq' operator." }],
  [
    "no value for an operator",
    { item: { attr: "x", op: "gt" }, at: "value", message: "A value is required for the 'gt' operator." }
  ],
  [
    "an unknown key",
    {
      item: { attr: "x", value: 1, Op: "eq" },
      at: "Op",
      message: "A condition has the keys attr, value, op and negate"
    }
  ],
  [
    "a clause and a ruleset in one",
    { item: { attr: "x", value: 1, and: [] }, at: "and", message: "A condition has the keys" }
  ],
  [
    "an unknown operator",
    {
      item: { attr: "x", value: 1, op: "blah" },
      at: "op",
      message: `Unknown operator: blah. Must be one of: ${names}`
    }
  ],
  [
    "an operator of another case",
    { item: { attr: "x", value: 1, op: "EQ" }, at: "op", message: "Unknown operator: EQ." }
  ],
  [
    "an operator that every object has",
    { item: { attr: "x", value: 1, op: "toString" }, at: "op", message: "Unknown operator: toString." }
  ],
  [
    "null for the operator",
    { item: { attr: "x", value: 1, op: null }, at: "op", message: "Unknown operator: <class 'NoneType'>." }
  ],
  [
    "an object for the operator",
    { item: { attr: "x", value: 1, op: { toString: 1 } }, at: "op", message: "Unknown operator: <class 'dict'>." }
  ],
  [
    "a list of one operator",
    { item: { attr: "x", value: 1, op: ["eq"] }, at: "op", message: "Unknown operator: <class 'list'>." }
  ],
  [
    "a text for negate",
    {
      item: { attr: "x", value: 1, negate: "false" },
      at: "negate",
      message: "Must be true or false, not <class 'str'>."
    }
  ],
  [
    "null for negate",
    {
      item: { attr: "x", value: 1, negate: null },
      at: "negate",
      message: "Must be true or false, not <class 'NoneType'>."
    }
  ],
  [
    "an object for the value",
    { item: { attr: "x", value: {} }, at: "value", message: "Unsupported value type: <class 'dict'>" }
  ],
  [
    "a value for changed",
    {
      item: { attr: "x", op: "changed", value: 1 },
      at: "value",
      message: "The 'changed' operator compares snapshots and does not accept a value."
    }
  ],
  [
    "a side for unchanged",
    {
      item: { attr: "snapshots.prechange.x", op: "unchanged" },
      at: "attr",
      message: "The 'unchanged' operator resolves 'snapshots.prechange.x' within each snapshot dict, "
    }
  ],
  ["gt of a text", mismatch("gt", "1", "str")],
  ["gte of null", mismatch("gte", null, "NoneType")],
  ["lt of a list", mismatch("lt", [], "list")],
  ["lte of a boolean", mismatch("lte", true, "bool")],
  ["in of a number", mismatch("in", 5, "int")],
  ["in of a text", mismatch("in", "abc", "str")],
  ["contains of null", mismatch("contains", null, "NoneType")],
  ["within of a number", mismatch("within", 5, "int")],
  [
    "within of a name",
    {
      item: { attr: "x", op: "within", value: "lan" },
      at: "value",
      message: "Invalid value for within: invalid CIDR: lan"
    }
  ],
  [
    "within of a list of others",
    {
      item: { attr: "x", op: "within", value: ["10.0.0.0/8", 5] },
      at: "value",
      message: "Invalid value for within: invalid CIDR: 5"
    }
  ],
  ["regex of a list", mismatch("regex", ["a"], "list")],
  ["regex of a number", mismatch("regex", 1.5, "float")],
  ["a pattern that is none", patternFault("[")],
  ["a pattern with a back reference, which no linear engine has", patternFault(String.raw`(a)\1`)],
  ["a pattern with a look-ahead", patternFault("a(?=b)")],
  ["a pattern of many characters", patternFault("a".repeat(1001))],
  [
    "a pattern that multiplies",
    {
      item: { attr: "x", op: "regex", value: "x{0,1000}y{100}" },
      at: "value",
      message: "The patterns of the condition are too large."
    }
  ],
  [
    "a value nested very deep",
    { item: { attr: "x", value: nested(50_000, 1) }, at: "value", message: "nested deeper than 32" }
  ]
]

const valid = fc.constantFrom({ attr: "a", value: 1 }, { and: [] }, { or: [{ attr: "b", value: "x", negate: true }] })

/** The way down to an item: at each level the logic, and what stands beside. */
const trail = fc.array(
  fc.record({
    logic: fc.constantFrom("and", "or"),
    before: fc.array(valid, { maxLength: 2 }),
    after: fc.array(fc.oneof(valid, fc.constant(null)), { maxLength: 2 })
  }),
  { maxLength: 5 }
)

describe("a malformed document", () => {
  test.each(broken)("is refused with the place of its fault: %s", (_, { item, at, message }) => {
    fc.assert(
      fc.property(trail, (levels) => {
        const document = levels.reduceRight<unknown>(
          (inner, { logic, before, after }) => ({ [logic]: [...before, inner, ...after] }),
          item
        )
        const way = levels.map(({ logic, before }) => `${logic}[${before.length}]`)
        const path = [...way, at].filter((part) => part !== "").join(".")
        const error = errorOf(document)
        expect(error?.path).toBe(path)
        const told = path === "" ? message : `${path}: ${message}`
        expect(error?.message.slice(0, told.length)).toBe(told)
      }),
      { numRuns: runs(20) }
    )
  })

  test("is refused with its first fault", () => {
    expect(errorOf({ and: [{ attr: "a", value: 1 }, { attr: "b" }, { or: 5 }] })?.path).toBe("and[1].value")
  })

  test("is refused when it nests too deep", () => {
    const deep = (levels: number) =>
      Array.from({ length: levels }).reduce<unknown>((inner) => ({ and: [inner] }), { attr: "a", value: 1 })
    expect(errorOf(deep(31))).toBeUndefined()
    expect(errorOf(deep(32))?.message).toContain("nested deeper than 32")
    expect(errorOf(deep(10_000))?.path).toHaveLength("and[0]".length * 32 + 31)
  })

  test("is refused when it has too many items", () => {
    const wide = (items: number) => ({ or: Array.from({ length: items }, () => ({ attr: "a", value: 1 })) })
    expect(errorOf(wide(999))).toBeUndefined()
    expect(errorOf(wide(1000))).toMatchObject({ path: "or[999]", message: "or[999]: more than 1000 items" })
  })

  test("is refused if its patterns together are too large, even if each alone is not", () => {
    const pattern = { attr: "a", op: "regex", value: "[a-z]{100}" }
    expect(errorOf({ or: Array.from({ length: 20 }, () => pattern) })).toBeUndefined()
    expect(errorOf({ or: Array.from({ length: 21 }, () => pattern) })?.path).toBe("or[20].value")
  })

  test("throws only a ConditionError, for any JSON", () => {
    const { document } = fc.letrec<{ readonly document: unknown }>((tie) => ({
      document: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue(),
        fc.array(tie("document"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("and", "or", "AND", "__proto__", "toString"), tie("document"), { maxKeys: 2 }),
        fc.record(
          {
            attr: fc.oneof(fc.string(), tie("document")),
            value: fc.oneof(fc.string(), tie("document")),
            op: fc.oneof(fc.constantFrom(...Object.keys(operators)), fc.string(), tie("document")),
            negate: fc.oneof(fc.boolean(), tie("document")),
            toString: tie("document")
          },
          { requiredKeys: [] }
        )
      )
    }))
    fc.assert(
      fc.property(document, (document) => {
        const json: unknown = JSON.parse(JSON.stringify(document))
        const error = errorOf(json)
        expect(error === undefined || error.message.length > 0).toBe(true)
      }),
      { numRuns: runs(2000) }
    )
  })
})

describe("a document that says nothing", () => {
  test.each([[null], [undefined], [{}], [[]], [""], [0], [false]])("is no condition: %j", (document) => {
    expect(isEmpty(document)).toBe(true)
  })

  test.each([[{ and: [] }], [{ attr: "a", value: 1 }], [[1]], ["x"], [1], [true]])("is not %j", (document) => {
    expect(isEmpty(document)).toBe(false)
  })
})
