/** Conditions and events of all kinds, for properties. */
import fc from "fast-check"
import type { ClauseDocument, Document, Json } from "./NaiveCondition.ts"

const addresses = ["10.0.0.1/24", "10.0.0.0/25", "10.0.1.7", "::1", "fe80::/10"]
const scalars: ReadonlyArray<Json> = [
  ...[null, true, false, 0, 1, 1.5, -1, "", "a", "b", "ab", "abc\n", "1", "true", "é"],
  ...addresses
]
const networks = fc.constantFrom("10.0.0.0/24", "10.0.0.0/25", "10.0.0.1/32", "0.0.0.0/0", "::/0", "fe80::/64", "::1")
const scalar = fc.constantFrom(...scalars)
const key = fc.constantFrom("a", "b", "c")

/** Values and keys are few, so that clauses often find something and often hold. */
export const { value } = fc.letrec<{ readonly value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }) }
  )
}))

export const data = fc.oneof(
  { weight: 9, arbitrary: fc.record({ a: value, b: value, c: value }) },
  { weight: 1, arbitrary: value }
)

const patterns = ["", "a", "^a", "b$", "ab?c$", "[a-z]+", "(a|b)*$", "x|a", ".", "..$", "[^b]", "ab", "\\n"]
export const values: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  eq: value.filter((each) => each === null || typeof each !== "object" || Array.isArray(each)),
  gt: fc.constantFrom(0, 1, 1.5, -1),
  gte: fc.constantFrom(0, 1, 1.5, -1),
  lt: fc.constantFrom(0, 1, 1.5, -1),
  lte: fc.constantFrom(0, 1, 1.5, -1),
  in: fc.array(value, { maxLength: 4 }),
  contains: fc.oneof(fc.constantFrom(...scalars.filter((each) => each !== null)), fc.array(scalar, { maxLength: 2 })),
  regex: fc.constantFrom(...patterns),
  within: fc.oneof(networks, fc.array(networks, { maxLength: 3 }))
}

const snapshot = fc.option(fc.record({ a: value, b: value, c: value }), { freq: 3 })
export const snapshots = fc.option(fc.record({ prechange: snapshot, postchange: snapshot }), {
  nil: undefined,
  freq: 5
})

const path = fc.array(key, { minLength: 1, maxLength: 3, size: "xsmall" }).map((keys) => keys.join("."))
const attr = fc.oneof(
  { weight: 3, arbitrary: path },
  { weight: 1, arbitrary: path.map((rest) => `snapshots.prechange.${rest}`) },
  { weight: 1, arbitrary: path.map((rest) => `snapshots.postchange.${rest}`) },
  { weight: 1, arbitrary: fc.constantFrom("snapshots", "snapshots.prechange", "snapshots.a.b") }
)
const comparing: fc.Arbitrary<ClauseDocument> = fc
  .constantFrom(...Object.keys(values))
  .chain((op) =>
    fc.record(
      { attr, value: values[op]!, op: fc.constant(op), negate: fc.boolean() },
      { requiredKeys: op === "eq" ? ["attr", "value"] : ["attr", "value", "op"] }
    )
  )
const changing = fc.record({ attr: path, op: fc.constantFrom("changed", "unchanged"), negate: fc.boolean() })
export const clause: fc.Arbitrary<ClauseDocument> = fc.oneof(
  { weight: 5, arbitrary: comparing },
  { weight: 1, arbitrary: changing }
)

export const { document } = fc.letrec<{ readonly document: Document }>((tie) => ({
  document: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: clause },
    { weight: 1, arbitrary: fc.record({ and: fc.array(tie("document"), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ or: fc.array(tie("document"), { maxLength: 3 }) }) }
  )
}))
