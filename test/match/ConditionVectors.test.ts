/**
 * NetBox's own test vectors and those run against its evaluators; where the two differ or NetBox crashes, v4.6 counts,
 * but for paths through a null, which are null as in v3.5.
 */
import { describe, expect, test } from "vitest"
import { parse } from "../../src/match/Condition.ts"
import { compile } from "../../src/match/Decision.ts"
import type { Json } from "./NaiveCondition.ts"

const T = true
const F = false
/** Cannot be evaluated: NetBox calls the condition invalid, or crashes. */
const U = undefined

type Vector = readonly [document: object, ...answers: ReadonlyArray<readonly [data: Json, answer: boolean | undefined]>]

const x = (extra: object) => ({ attr: "x", ...extra })
const a = (value: Json, extra: object = {}) => ({ attr: "a", value, ...extra })
const b = (value: Json, extra: object = {}) => ({ attr: "b", value, ...extra })
const c = (value: Json) => ({ attr: "c", value })
const abc = (...values: ReadonlyArray<Json>): Json => ({ a: values[0]!, b: values[1]!, c: values[2] ?? null })

const tested: ReadonlyArray<Vector> = [
  [{ attr: "a.b.c", value: 1 }, [{ a: { b: { c: 1 } } }, T], [{ a: { b: { c: 2 } } }, F], [{ a: { b: { x: 1 } } }, U]],
  [x({ value: 1, op: "eq" }), [{ x: 1 }, T], [{ x: 2 }, F], [{}, U]],
  [x({ value: 1 }), [{ x: 1 }, T], [{ x: 2 }, F]],
  [{ attr: "x.y.z", value: 1 }, [{ x: { y: { z: 1 } } }, T], [{ x: { y: { z: 2 } } }, F], [{ a: { b: { c: 1 } } }, U]],
  [{ attr: "x.y.z", value: 1 }, [{ x: { y: null } }, F], [{ x: { y: { a: 1 } } }, U]],
  [x({ value: 1, op: "eq", negate: true }), [{ x: 1 }, F], [{ x: 2 }, T]],
  [x({ value: 1, op: "gt" }), [{ x: 2 }, T], [{ x: 1 }, F], [{ x: "foo" }, U]],
  [x({ value: 1, op: "gte" }), [{ x: 2 }, T], [{ x: 1 }, T], [{ x: 0 }, F]],
  [x({ value: 2, op: "lt" }), [{ x: 1 }, T], [{ x: 2 }, F]],
  [x({ value: 2, op: "lte" }), [{ x: 1 }, T], [{ x: 2 }, T], [{ x: 3 }, F]],
  [x({ value: [1, 2, 3], op: "in" }), [{ x: 1 }, T], [{ x: 9 }, F]],
  [x({ value: [1, 2, 3], op: "in", negate: true }), [{ x: 1 }, F], [{ x: 9 }, T]],
  [x({ value: 1, op: "contains" }), [{ x: [1, 2, 3] }, T], [{ x: [2, 3, 4] }, F], [{ x: 123 }, U]],
  [x({ value: 1, op: "contains", negate: true }), [{ x: [1, 2, 3] }, F], [{ x: [2, 3, 4] }, T]],
  [x({ value: "[a-z]+", op: "regex" }), [{ x: "abc" }, T], [{ x: "123" }, F]],
  [x({ value: "[a-z]+", op: "regex", negate: true }), [{ x: "abc" }, F], [{ x: "123" }, T]],
  [{ and: [a(null, { negate: true })] }, [{ a: null }, F], [{ a: "string" }, T], [{ a: { key: "value" } }, T]],
  [{ and: [a(1, { op: "eq" }), b(1, { negate: true })] }, [abc(1, 2), T], [abc(1, 1), F]],
  [{ or: [a(1), b(1)] }, [abc(1, 2), T], [abc(2, 1), T], [abc(2, 2), F]],
  [{ and: [a(1), { and: [b(2), c(3)] }] }, [abc(1, 2, 3), T], [abc(9, 2, 3), F], [abc(1, 9, 3), F], [abc(1, 2, 9), F]],
  [{ or: [a(1), { or: [b(2), c(3)] }] }, [abc(1, 9, 9), T], [abc(9, 2, 9), T], [abc(9, 9, 3), T], [abc(9, 9, 9), F]],
  [{ and: [a(1), { or: [b(2), c(3)] }] }, [abc(1, 2, 9), T], [abc(1, 9, 3), T], [abc(1, 9, 9), F], [abc(9, 2, 3), F]],
  [
    { or: [a(1), { and: [b(2), c(3)] }] },
    [abc(1, 9, 9), T],
    [abc(9, 2, 3), T],
    [abc(1, 2, 9), T],
    [abc(9, 2, 9), F],
    [abc(9, 9, 3), F]
  ],
  [{ attr: "status.value", value: "active" }, [{ status: { value: "active" } }, T]],
  [
    { and: [{ attr: "status.value", value: "active" }] },
    [{ status: { value: "staging" } }, F],
    [{ status: { value: "active" } }, T]
  ],
  [{ attr: "status.value", op: "in", value: ["planned", "staging"] }, [{ status: { value: "active" } }, F]],
  [
    { attr: "status.value", op: "in", value: ["planned", "staging"], negate: true },
    [{ status: { value: "active" } }, T]
  ],
  [{ and: [] }, [{}, T], [null, T]],
  [{ or: [] }, [{}, F], [null, F]]
]

const region = (extra: object) => ({ attr: "region.slug", ...extra })
const europe: Json = { region: { slug: "eu" }, name: "x" }
const nowhere: Json = { region: null, name: "x" }
const unknown: Json = { name: "x" }

/** A reference to nothing: a path through it is null, so every equality can be decided. */
const throughNull: ReadonlyArray<Vector> = [
  [region({ value: "eu" }), [europe, T], [nowhere, F], [unknown, U]],
  [region({ value: "eu", negate: true }), [europe, F], [nowhere, T], [unknown, U]],
  [region({ value: null }), [europe, F], [nowhere, T], [unknown, U]],
  [region({ value: ["eu", null], op: "in" }), [europe, T], [nowhere, T], [unknown, U]],
  [{ or: [region({ value: "eu" }), { attr: "name", value: "x" }] }, [europe, T], [nowhere, T], [unknown, U]],
  [{ and: [region({ value: "us", negate: true }), { attr: "name", value: "x" }] }, [europe, T], [nowhere, T]],
  [{ attr: "region.parent.slug", value: null }, [nowhere, T], [{ region: { parent: null } }, T], [europe, U]],
  [{ attr: "links.cable.label", value: [null, "c"] }, [{ links: [{ cable: null }, { cable: { label: "c" } }] }, T]],
  [region({ value: "e", op: "regex" }), [europe, T], [nowhere, U]]
]

const tags: Json = { tags: [{ slug: "x" }, { slug: "y" }] }

const measured: ReadonlyArray<Vector> = [
  [a(null), [{}, U], [{ a: null }, T], [{ a: 0 }, F]],
  [a(1, { negate: true }), [{}, U]],
  [{ attr: "a.b", value: null }, [{ a: null }, T], [{ a: { b: null } }, T], [{ a: {} }, U], [{}, U], [null, U]],
  [{ attr: "a.b", value: 1 }, [{ a: 5 }, U], [{ a: "str" }, U]],
  [{ attr: "tags.slug", op: "contains", value: "x" }, [tags, T], [{ tags: [] }, F], [{ tags: [{ name: "x" }] }, U]],
  [{ attr: "tags.slug", value: ["x", "y"] }, [tags, T]],
  [{ attr: "tags.0.slug", value: "x" }, [{ tags: [{ slug: "x" }] }, U]],
  [a(1), [{ a: true }, T], [{ a: 1.0 }, T], [{ a: "1" }, F]],
  [a("1"), [{ a: 1 }, F]],
  [a(1, { op: "gt" }), [{ a: null }, U], [{ a: "x" }, U], [{}, U], [{ a: [2] }, U]],
  [a("x", { op: "contains" }), [{ a: "xyz" }, T], [{ a: null }, U], [{ a: 5 }, U]],
  [a(1, { op: "contains" }), [{ a: "123" }, U]],
  [a("k", { op: "contains" }), [{ a: { k: 1 } }, T], [{ a: { l: 1 } }, F]],
  [a(["k"], { op: "contains" }), [{ a: { k: 1 } }, U], [{ a: [["k"]] }, T], [{ a: "k" }, U]],
  [a("b", { op: "regex" }), [{ a: "abc" }, F]],
  [a("abc$", { op: "regex" }), [{ a: "abc\n" }, T]],
  [
    a("10.0.0.0/24", { op: "within" }),
    [{ a: "10.0.0.9/16" }, T],
    [{ a: "10.0.0.0/16" }, F],
    [{ a: "10.0.0.128/25" }, T]
  ],
  [a(["10.0.0.0/8", "2001:db8::/32"], { op: "within" }), [{ a: "2001:db8::1/64" }, T], [{ a: "11.0.0.1" }, F]],
  [a("10.0.0.0/8", { op: "within", negate: true }), [{ a: "192.0.2.1/24" }, T], [{ a: "10.1.1.1/32" }, F]],
  [a("10.0.0.0/8", { op: "within" }), [{ a: "core" }, U], [{ a: null }, U], [{ a: 10 }, U]],
  [a("x", { op: "regex" }), [{ a: null }, U], [{ a: 5 }, U]],
  [a([1, 2], { op: "in" }), [{ a: null }, F], [{ a: [1] }, F]],
  [a([null], { op: "in" }), [{}, U], [{ a: null }, T]],
  [{ and: [a(2), b(1, { op: "gt" })] }, [{ a: 1, b: "x" }, F], [{ a: 2, b: "x" }, U]],
  [{ or: [a(1), b(1, { op: "gt" })] }, [{ a: 1, b: "x" }, T], [{ a: 2, b: "x" }, U]]
]

/** On an update planned -> active, a create and a delete of an active object, and without snapshots. */
const snapshotted: ReadonlyArray<
  readonly [object, boolean | undefined, boolean | undefined, boolean | undefined, boolean | undefined]
> = [
  [{ attr: "status", op: "changed" }, T, T, T, U],
  [{ attr: "status", op: "unchanged" }, F, F, F, U],
  [{ attr: "tags", op: "changed" }, F, T, T, U],
  [{ attr: "tags", op: "changed", negate: true }, T, F, F, U],
  [{ attr: "nope", op: "changed" }, U, U, U, U],
  [{ attr: "nope", op: "changed", negate: true }, U, U, U, U],
  [{ attr: "status.value", op: "changed" }, U, U, U, U],
  [{ attr: "snapshots.prechange.status", value: "planned" }, T, F, F, U],
  [{ attr: "snapshots.prechange.status", value: "planned", negate: true }, F, T, T, U],
  [{ attr: "snapshots.prechange.status", value: null }, F, T, F, U],
  [{ attr: "snapshots.prechange", value: null }, F, T, F, U],
  [{ attr: "snapshots.prechange.stat", value: null }, U, U, U, U],
  [{ attr: "snapshots.prechange.status", op: "contains", value: "pl" }, T, F, F, U],
  [{ attr: "snapshots.prechange.status", op: "regex", value: "pl" }, T, F, F, U],
  [{ attr: "snapshots.prechange.count", op: "gt", value: 1, negate: true }, F, T, F, U],
  [{ attr: "snapshots.postchange.status", value: null }, F, F, T, U],
  [{ attr: "snapshots.postchange.tenant", value: null }, T, T, T, U],
  [{ attr: "snapshots.elsewhere.status", value: null }, U, U, U, U],
  [{ attr: "snapshots.postchange.tags", op: "contains", value: "a" }, T, T, F, U],
  [
    {
      and: [
        { attr: "status.value", value: "active" },
        { attr: "status", op: "changed" }
      ]
    },
    T,
    T,
    T,
    U
  ]
]

describe("snapshots", () => {
  const state = (status: string) => ({ status, tags: ["a"], tenant: null, count: 2 })
  const data = { status: { value: "active" } }
  const events = [
    { prechange: state("planned"), postchange: state("active") },
    { prechange: null, postchange: state("active") },
    { prechange: state("active"), postchange: null }
  ]

  test.each(snapshotted.map((row) => [JSON.stringify(row[0]), row] as const))(
    "are compared as NetBox 4.7 does: %s",
    (_, [document, ...answers]) => {
      const decide = compile(parse(document))
      const asked = [...events.map((snapshots) => ({ data, snapshots })), { data }]
      expect(asked.map(decide)).toEqual(answers)
    }
  )
})

const answered = ([document, ...answers]: Vector) => {
  const decide = compile(parse(document))
  return [document, ...answers.map(([data]) => [data, decide({ data })])]
}

const named = (vectors: ReadonlyArray<Vector>) => vectors.map((vector) => [JSON.stringify(vector[0]), vector] as const)

describe("a path through a null", () => {
  test.each(named(throughNull))("is null: %s", (_, vector) => {
    expect(answered(vector)).toEqual(vector)
  })
})

describe("NetBox's own tests", () => {
  test.each(named(tested))("give the same result: %s", (_, vector) => {
    expect(answered(vector)).toEqual(vector)
  })
})

describe("NetBox's evaluator, measured", () => {
  test.each(named(measured))("gives the same result: %s", (_, vector) => {
    expect(answered(vector)).toEqual(vector)
  })
})
