import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { parse } from "../../src/match/Condition.ts"
import { compile } from "../../src/match/Decision.ts"
import { type Explanation, explain } from "../../src/match/Explanation.ts"
import { data, document, snapshots } from "./Arbitrary.ts"
import { type Document, type Json, type Snapshots, evaluate } from "./NaiveCondition.ts"
import { runs } from "../support/Seed.ts"

const decide = (document: Document, data: Json) => compile(parse(document))({ data })

const outcomes = { true: "holds", false: "fails", undefined: "invalid" } as const

/** Every part of a document that was looked at, with what was told of it. */
const looked = (item: Document, told: Explanation): ReadonlyArray<readonly [Document, string]> => {
  if (told.outcome === "skipped") return []
  const [items, explained] = "and" in item ? [item.and, told["and"]] : "or" in item ? [item.or, told["or"]] : [[], []]
  const inner = items.flatMap((each, at) => looked(each, (explained as ReadonlyArray<Explanation>)[at]!))
  return [[item, told.outcome], ...inner]
}

describe("an explanation", () => {
  const told = (document: Document, data: Json, snapshots?: Snapshots) => explain(parse(document), { data, snapshots })

  test("gives the separate result of each part that was evaluated", () => {
    fc.assert(
      fc.property(document, data, snapshots, (document, data, snapshots) => {
        const told = looked(document, explain(parse(document), { data, snapshots }))
        expect(told.map(([, outcome]) => outcome)).toEqual(
          told.map(([item]) => outcomes[`${evaluate(item, data, snapshots)}`])
        )
      }),
      { numRuns: runs(2000) }
    )
  })

  test("walks through a long list once for each clause", () => {
    let reads = 0
    const item = {
      get name() {
        return (reads += 1)
      }
    } as unknown as Json
    const document = {
      and: [
        { attr: "items.name", op: "contains", value: 1000 },
        { attr: "items.name", op: "contains", value: -1 }
      ]
    }
    expect(told(document as Document, { items: Array.from({ length: 1000 }, () => item) }).outcome).toBe("fails")
    expect(reads).toBe(2000)
  })

  test("shows the value of each evaluated clause, the skipped clauses, and why one cannot be evaluated", () => {
    const document = {
      and: [
        { attr: "a", value: 1 },
        {
          or: [
            { attr: "b", op: "gt", value: 5, negate: true },
            { attr: "c", value: 1 }
          ]
        },
        { attr: "name.x", value: 1 },
        { attr: "a", value: 2 }
      ]
    }
    expect(told(document, { a: 1, b: 3, name: "x" })).toEqual({
      outcome: "invalid",
      and: [
        { outcome: "holds", attr: "a", op: "eq", value: 1, actual: 1 },
        {
          outcome: "holds",
          or: [
            { outcome: "holds", attr: "b", op: "gt", value: 5, negate: true, actual: 3 },
            { outcome: "skipped", attr: "c", op: "eq", value: 1 }
          ]
        },
        { outcome: "invalid", attr: "name.x", op: "eq", value: 1, reason: "There is no name.x." },
        { outcome: "skipped", attr: "a", op: "eq", value: 2 }
      ]
    })
  })

  test("shows both sides of a change", () => {
    const snapshots = { prechange: { status: "planned" }, postchange: { status: "active" } }
    const document = { attr: "status", op: "changed" }
    expect(told(document, {}, snapshots)).toMatchObject({ outcome: "holds", before: "planned", after: "active" })
    expect(told(document, {})).toMatchObject({ outcome: "invalid", reason: "There are no snapshots." })
  })

  test("says that two values cannot be compared", () => {
    expect(told({ attr: "a", op: "gt", value: 1 }, { a: "x" })).toEqual({
      outcome: "invalid",
      attr: "a",
      op: "gt",
      value: 1,
      actual: "x",
      reason: "'gt' cannot compare what a holds."
    })
  })

  test("shortens long, wide and deep values", () => {
    const actual = (value: Json) => told({ attr: "a", value: 1 }, { a: value })["actual"]
    const numbers = Array.from({ length: 1000 }, (_, at) => at)
    expect(actual("x".repeat(1000))).toBe(`${"x".repeat(200)}…`)
    expect(actual(numbers)).toEqual([...numbers.slice(0, 10), "…"])
    expect(actual({ b: { c: { d: 1 } } })).toEqual({ b: { c: "…" } })
    expect(Object.keys(actual(Object.fromEntries(numbers.map((at) => [`k${at}`, at]))) as object)).toHaveLength(10)
  })
})

describe("too much work", () => {
  const heavy = { attr: "a", op: "regex", value: ".*a[a-z]{400}q" }
  const text = "abcabcx".repeat(15_000)

  test("makes a condition impossible to evaluate, at no cost for the others", () => {
    expect(decide(heavy, { a: text })).toBeUndefined()
    expect(decide({ or: [heavy, { attr: "b", value: 1 }] }, { a: text, b: 1 })).toBeUndefined()
    expect(decide(heavy, { a: text.slice(0, 1000) })).toBe(false)
    expect(explain(parse(heavy), { data: { a: text } })).toMatchObject({ outcome: "invalid" })
  })

  test("can be the sum of many small clauses", () => {
    const clauses = Array.from({ length: 999 }, () => ({ attr: "a", op: "contains", value: 1 }))
    const data = { a: Array.from({ length: 5000 }, () => 0) }
    expect(decide({ or: clauses }, data)).toBeUndefined()
    const { outcome, or } = explain(parse({ or: clauses }), { data })
    expect(outcome).toBe("invalid")
    const told = or as ReadonlyArray<Explanation>
    const last = told.findIndex((each) => each.outcome === "invalid")
    expect(last).toBeGreaterThan(100)
    expect(told[last]).toMatchObject({ reason: expect.stringContaining("takes too long") as string })
    expect(told[last + 1]).toMatchObject({ outcome: "skipped" })
    expect(decide({ or: clauses.slice(0, 100) }, data)).toBe(false)
  })
  const big = () => Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 1]))
  const thousand = (clause: Document) => parse({ or: Array.from({ length: 999 }, () => clause) })

  /** Entries of objects that are listed meanwhile. */
  const listed = (explaining: () => unknown): number => {
    const entries = vi.spyOn(Object, "entries")
    explaining()
    const count = entries.mock.results.reduce((sum, { value }) => sum + (value as ReadonlyArray<unknown>).length, 0)
    entries.mockRestore()
    return count
  }

  test("is not done by listing a large object for each of a thousand clauses", () => {
    const shown = thousand({ attr: "a", value: 1 })
    expect(listed(() => explain(shown, { data: { a: big() } }))).toBeLessThan(2 * 60_000)
    const compared = thousand({ attr: "a", op: "changed" })
    const sides = { prechange: { a: big() }, postchange: { a: big() } }
    expect(listed(() => explain(compared, { data: {}, snapshots: sides }))).toBeLessThan(5 * 60_000)
  })
})
