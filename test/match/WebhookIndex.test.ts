import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type MatchFields, WebhookIndex } from "../../src/match/WebhookIndex.ts"
import type { Subject } from "../../src/match/Subject.ts"
import { type Document, type Json, type Snapshots, evaluate } from "./NaiveCondition.ts"
import { runs } from "../support/Seed.ts"

const types = ["dcim.site", "dcim.region", "extras.tag"]
const kinds = ["created", "updated", "deleted"] as const

const webhook = (id: number, extra: Readonly<Record<string, unknown>> = {}): MatchFields & { readonly id: number } => ({
  id,
  enabled: true,
  content_types: ["dcim.site"],
  type_create: true,
  type_update: true,
  type_delete: true,
  conditions: null,
  ...extra
})

const indexOf = (...rows: ReadonlyArray<MatchFields & { readonly id: number }>): WebhookIndex => {
  const index = new WebhookIndex()
  for (const row of rows) index.set(row.id, row)
  return index
}

const site = (data: Json = {}): Subject => ({ type: "dcim.site", kind: "created", data })

describe("an event", () => {
  test("goes to the webhooks of its object type and kind, in the order of their ids", () => {
    const index = indexOf(
      webhook(9),
      webhook(3, { type_create: false }),
      webhook(5, { content_types: ["dcim.region"] }),
      webhook(4, { content_types: ["dcim.region", "dcim.site"] }),
      webhook(11, { type_update: false, type_delete: false })
    )
    expect(index.match(site())).toEqual([4, 9, 11])
    expect(index.match({ ...site(), kind: "updated" })).toEqual([3, 4, 9])
    expect(index.match({ ...site(), type: "dcim.region" })).toEqual([4, 5])
    expect(index.match({ ...site(), type: "extras.tag" })).toEqual([])
  })

  test("goes once to a webhook that names its object type twice", () => {
    expect(indexOf(webhook(1, { content_types: ["dcim.site", "dcim.site"] })).match(site())).toEqual([1])
  })

  test("does not go to a webhook that is disabled, deleted, or has no flag for the event", () => {
    const index = indexOf(webhook(1), webhook(2), webhook(3, { type_create: null }))
    index.set(1, webhook(1, { enabled: false }))
    index.set(2, undefined)
    index.set(7, undefined)
    expect(index.match(site())).toEqual([])
  })

  test("follows only the latest row of a webhook", () => {
    const index = indexOf(webhook(1, { conditions: { attr: "a", value: 1 } }), webhook(1, { content_types: types }))
    expect(index.match(site({ a: 2 }))).toEqual([1])
    index.set(1, webhook(1, { content_types: ["extras.tag"] }))
    expect(index.match(site())).toEqual([])
    index.set(1, webhook(1))
    expect(index.match(site())).toEqual([1])
  })

  test("goes to no webhook once the index is empty again", () => {
    const index = indexOf(webhook(1), webhook(2))
    index.clear()
    expect(index.match(site())).toEqual([])
    index.set(2, webhook(2))
    expect(index.match(site())).toEqual([2])
  })
})

describe("a condition that cannot be evaluated", () => {
  test("holds the event back and is counted", () => {
    const index = indexOf(webhook(1, { conditions: { attr: "a", value: 1, negate: true } }), webhook(2))
    expect(index.match(site({}))).toEqual([2])
    expect(index.undecided).toBe(1)
    expect(index.match(site({ a: 1 }))).toEqual([2])
    expect(index.undecided).toBe(1)
  })

  test.each([["text"], [5], [[1]], [{ foo: [] }], [{ attr: "a", value: 1, op: "regex" }]])(
    "may be an invalid document that plain SQL wrote: %j",
    (conditions) => {
      const index = indexOf(webhook(1, { conditions }))
      expect(index.match(site())).toEqual([])
      expect(index.undecided).toBe(1)
    }
  )

  test.each([[null], [{}], [[]], [""]])("is not an empty one, which lets every event pass: %j", (conditions) => {
    const index = indexOf(webhook(1, { conditions }))
    expect(index.match(site())).toEqual([1])
    expect(index.undecided).toBe(0)
  })
})

describe("webhooks that are undecided", () => {
  test("are reported once, with their count and the reason", () => {
    const index = indexOf(
      webhook(1, {
        conditions: {
          and: [
            { attr: "a", value: 1 },
            { attr: "b", value: 1 }
          ]
        }
      }),
      webhook(2, { conditions: { foo: [] } }),
      webhook(3)
    )
    index.match(site({ a: 1 }))
    index.match(site({ a: 1 }))
    index.match(site({ a: 2 }))
    expect([...index.takeUndecided()]).toEqual([
      [1, { times: 2, reason: "There is no b." }],
      [2, { times: 3, reason: expect.stringContaining("Invalid logic type: foo") as string }]
    ])
    expect(index.takeUndecided().size).toBe(0)
    expect(index.undecided).toBe(5)
  })
})

describe("the index", () => {
  const id = fc.integer({ min: 1, max: 6 })
  const conditions = fc.constantFrom<Document | null>(
    null,
    { attr: "a", value: 1 },
    { attr: "a", value: 1, negate: true },
    {
      or: [
        { attr: "b", value: 1 },
        { attr: "a", value: 2 }
      ]
    },
    {
      and: [
        { attr: "a", value: 1 },
        { attr: "b", value: true }
      ]
    },
    {
      and: [
        { attr: "a", value: 1 },
        { attr: "b", value: 2 },
        { attr: "a", op: "gt", value: 0 }
      ]
    },
    { and: [{ or: [{ attr: "a", value: 1 }] }, { attr: "b", value: [1] }] },
    {
      and: [
        { attr: "b", op: "contains", value: 1 },
        { attr: "a", value: 1 }
      ]
    },
    {
      and: [
        { attr: "a", value: null },
        { attr: "snapshots.prechange.a", value: 1 }
      ]
    }
  )
  interface WebhookRow extends MatchFields {
    readonly id: number
    readonly enabled: boolean
    readonly content_types: ReadonlyArray<string>
    readonly type_create: boolean
    readonly type_update: boolean
    readonly type_delete: boolean
    readonly conditions: Document | null
  }
  const row: fc.Arbitrary<WebhookRow> = fc.record({
    id,
    enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    content_types: fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 4 }),
    type_create: fc.boolean(),
    type_update: fc.boolean(),
    type_delete: fc.boolean(),
    conditions
  })
  const subject: fc.Arbitrary<Subject> = fc.record({
    type: fc.constantFrom(...types),
    kind: fc.constantFrom(...kinds),
    data: fc.constantFrom<Json>(
      {},
      { a: 1 },
      { a: 2 },
      { b: 1 },
      { a: 1, b: 2 },
      { a: true, b: 1 },
      { a: [1], b: [1] },
      { a: null, b: {} },
      { a: 1, b: "1" }
    ),
    snapshots: fc.constantFrom(undefined, { prechange: { a: 1 }, postchange: null })
  })
  const step = fc.oneof(
    { weight: 6, arbitrary: row.map((row) => ({ does: "set", row }) as const) },
    { weight: 2, arbitrary: id.map((id) => ({ does: "remove", id }) as const) },
    { weight: 6, arbitrary: subject.map((subject) => ({ does: "match", subject }) as const) },
    { weight: 1, arbitrary: fc.constant({ does: "clear" } as const) }
  )
  const flags = { created: "type_create", updated: "type_update", deleted: "type_delete" } as const

  /** Webhooks that want the subject, and how many could not tell. */
  const ask = (rows: Iterable<WebhookRow>, { type, kind, data, snapshots }: Subject) => {
    const asked = [...rows].filter((row) => row.enabled && row.content_types.includes(type) && row[flags[kind]])
    const answers = asked.map(({ id, conditions }) => ({
      id,
      holds: conditions === null || evaluate(conditions, data as Json, snapshots as Snapshots | undefined)
    }))
    return {
      wanted: answers
        .filter(({ holds }) => holds === true)
        .map(({ id }) => id)
        .sort((a, b) => a - b),
      undecided: answers.filter(({ holds }) => holds === undefined).length
    }
  }

  test("gives the result of a loop over all webhooks after any sequence of changes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new WebhookIndex()
        const rows = new Map<number, WebhookRow>()
        const answers: Array<ReadonlyArray<number>> = []
        const expected: Array<ReadonlyArray<number>> = []
        let undecided = 0
        for (const step of steps) {
          if (step.does === "set") {
            index.set(step.row.id, step.row)
            rows.set(step.row.id, step.row)
          } else if (step.does === "remove") {
            index.set(step.id, undefined)
            rows.delete(step.id)
          } else if (step.does === "clear") {
            index.clear()
            rows.clear()
          } else {
            const asked = ask(rows.values(), step.subject)
            answers.push(index.match(step.subject))
            expected.push(asked.wanted)
            undecided += asked.undecided
          }
        }
        expect(answers).toEqual(expected)
        expect(index.undecided).toBe(undecided)
      }),
      { numRuns: runs(2000) }
    )
  })
})

describe("costly conditions", () => {
  const costly = { attr: "a", op: "regex", value: "(?:[ab]|ab|ba)*c" }
  const text = "ab".repeat(5_000)
  const webhooks = (count: number) =>
    Array.from({ length: count }, (_, at) => webhook(at + 1, { conditions: { or: [costly, { attr: "b", value: 1 }] } }))

  test("are decided while the budget of the event lasts", () => {
    const index = indexOf(...webhooks(3))
    expect(index.match(site({ a: text, b: 1 }))).toEqual([1, 2, 3])
    expect(index.match(site({ a: text, b: 2 }))).toEqual([])
    expect(index.undecided).toBe(0)
  })

  test("are undecided if there are too many, at no cost for the others", () => {
    const index = indexOf(...webhooks(15), webhook(16, { conditions: { attr: "b", op: "regex", value: "^x" } }))
    expect(index.match(site({ a: text, b: "x" }))).toEqual([16])
    expect([...index.takeUndecided().keys()]).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
    expect(index.match(site({ a: "ab", b: 1 }))).toHaveLength(15)
  })

  test("that plain SQL made too large are undecided, with the reason", () => {
    const index = indexOf(webhook(1, { conditions: { attr: "a", op: "regex", value: "x{1000}".repeat(140) } }))
    expect(index.match(site({ a: "x" }))).toEqual([])
    expect(index.takeUndecided().get(1)?.reason).toContain("value: The patterns of the condition are too large.")
  })
})
