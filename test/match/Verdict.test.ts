import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/match/Condition.ts"
import { explain, explainTo } from "../../src/match/Explanation.ts"
import { distanceOf, verdictOf } from "../../src/match/Verdict.ts"
import { type MatchFields, WebhookIndex } from "../../src/match/WebhookIndex.ts"
import type { Subject } from "../../src/match/Subject.ts"
import { data, document, snapshots } from "./Arbitrary.ts"
import { runs } from "../support/Seed.ts"

const subject: fc.Arbitrary<Subject> = fc.record({
  type: fc.constantFrom("dcim.site", "dcim.rack"),
  kind: fc.constantFrom("created", "updated", "deleted"),
  data,
  snapshots
})

const webhook: fc.Arbitrary<MatchFields> = fc.record({
  enabled: fc.boolean(),
  content_types: fc.subarray(["dcim.site", "dcim.rack"]),
  type_create: fc.boolean(),
  type_update: fc.boolean(),
  type_delete: fc.boolean(),
  conditions: fc.oneof(fc.constant(null), document, fc.constant({ odd: 1 }))
})

const site: Subject = {
  ...{ type: "dcim.site", kind: "updated" },
  data: { status: { value: "planned" }, name: "Oslo", region: { slug: "nordic" } },
  snapshots: { prechange: { status: "planned" }, postchange: { status: "planned" } }
}

const hook = (fields: Partial<MatchFields>): MatchFields => ({
  enabled: true,
  content_types: ["dcim.site"],
  ...{ type_create: true, type_update: true, type_delete: true },
  conditions: null,
  ...fields
})

describe("a verdict", () => {
  it("says that a webhook fired exactly where matching finds it, and names a gate where not", () => {
    fc.assert(
      fc.property(webhook, subject, (fields, subject) => {
        const index = new WebhookIndex()
        index.set(1, fields)
        const fired = index.match(subject).length > 0
        const verdict = verdictOf(fields, subject)
        expect(verdict.outcome === "fired").toBe(fired)
        expect(verdictOf(fields, subject, { fired })).toEqual(verdict)
        expect(verdict.gate === undefined).toBe(fired)
        expect(verdict.reason === "").toBe(fired)
      }),
      { numRuns: runs(1000) }
    )
  })

  it.each([
    [{ content_types: ["dcim.rack"] }, "type", "It does not listen to dcim.site."],
    [{ type_update: false, type_delete: false }, "kind", "It fires for what is created, and this was updated."],
    [{ enabled: false }, "enabled", "It was disabled."],
    [
      { conditions: { attr: "status.value", value: "active" } },
      "condition",
      'status.value is "planned", needs "active"'
    ],
    [
      {
        conditions: {
          or: [
            { attr: "status.value", op: "in", value: ["a", "b"] },
            { attr: "name", value: "Oslo", negate: true }
          ]
        }
      },
      "condition",
      'status.value is "planned", needs one of ["a","b"]; name is "Oslo", needs other than "Oslo"'
    ],
    [{ conditions: { attr: "status", op: "changed" } }, "condition", 'status did not change: it is "planned"']
  ])("tells why %j did not fire", (fields, gate, reason) => {
    expect(verdictOf(hook(fields), site)).toMatchObject({ outcome: "skipped", gate, reason })
  })

  it("tells the same cause for every event that fails the same clause", () => {
    const fields = hook({
      conditions: {
        and: [
          { attr: "name", value: "Oslo" },
          { attr: "status.value", value: "active" }
        ]
      }
    })
    const other = { ...site, data: { status: { value: "retired" }, name: "Oslo" } }
    const causes = [site, other].map((each) => verdictOf(fields, each).cause)
    expect(causes).toEqual(['status.value equal to "active"', 'status.value equal to "active"'])
  })

  it("is undecided where the condition cannot be evaluated, and where its share of the work was used up", () => {
    expect(verdictOf(hook({ conditions: { attr: "nothing", value: 1 } }), site)).toMatchObject({
      outcome: "undecided",
      reason: "There is no nothing."
    })
    const dear = hook({ conditions: { attr: "name", value: "Oslo" } })
    expect(verdictOf(dear, site, { fired: false })).toMatchObject({ outcome: "undecided", gate: "condition" })
  })
})

describe("an explanation for a reader who may not see everything", () => {
  it("keeps the value and the outcome of a clause that reads a hidden object", () => {
    const condition = parse({
      and: [
        { attr: "name", value: "Oslo" },
        { attr: "region.slug", value: "nordic" }
      ]
    })
    const shown = { ...site, data: { ...(site.data as object), region: { id: 1, display: "#1" } } }
    expect(explainTo(condition, site, shown)).toEqual({
      outcome: "hidden",
      and: [
        { outcome: "holds", attr: "name", op: "eq", value: "Oslo", actual: "Oslo" },
        { outcome: "hidden", attr: "region.slug", op: "eq", value: "nordic" }
      ]
    })
    const none = verdictOf(hook({ conditions: { attr: "region.slug", value: "baltic" } }), site, { shown })
    expect(JSON.stringify(none)).not.toContain("nordic")
  })
})

describe("the distance of an event", () => {
  it("is the number of clauses that are in the way, and 0 where the condition holds", () => {
    const two = {
      and: [
        { attr: "name", value: "Bergen" },
        { attr: "status.value", value: "active" }
      ]
    }
    expect(distanceOf(two, site)).toBe(2)
    expect(distanceOf({ or: [two, { attr: "name", value: "Bergen" }] }, site)).toBe(1)
    fc.assert(
      fc.property(document, subject, (document, subject) => {
        const holds = explain(parse(document), subject).outcome === "holds"
        fc.pre(holds)
        expect(distanceOf(document, subject)).toBe(0)
      })
    )
  })
})
