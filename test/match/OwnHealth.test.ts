import { describe, expect, it } from "vitest"
import { type MatchFields, WebhookIndex } from "../../src/match/WebhookIndex.ts"
import type { Subject } from "../../src/match/Subject.ts"
import { verdictOf } from "../../src/match/Verdict.ts"

const alert: MatchFields = {
  ...{ enabled: true, content_types: ["extras.webhook"], conditions: null },
  ...{ type_create: true, type_update: true, type_delete: true }
}

const before = { name: "alert", health: "healthy", health_since: null, content_types: ["dcim.site"], enabled: true }

/** A change of webhook 7. */
const changed = (fields: object, kind: Subject["kind"] = "updated"): Subject => ({
  ...{ type: "extras.webhook", kind, data: { id: 7 } },
  snapshots: { prechange: before, postchange: { ...before, content_types: ["dcim.site"], ...fields } }
})

const turn = { health: "failing", health_since: "2026-11-20T14:02:11Z" }

/** The webhooks among 7 and 8 that fire, without a scope and with one. */
const fires = (subject: Subject) => {
  const index = new WebhookIndex()
  for (const webhook of [7, 8]) index.set(webhook, alert)
  for (const webhook of [7, 8]) {
    const verdict = verdictOf(alert, subject, { webhook })
    expect(verdict.outcome === "fired").toBe(index.match(subject).includes(webhook))
    if (verdict.outcome !== "fired") expect(verdict.gate).toBe("own")
  }
  const scoped = new WebhookIndex()
  for (const webhook of [7, 8]) scoped.set(webhook, { ...alert, scope_user: 1 })
  expect(scoped.scoped(subject).map(({ webhook }) => webhook)).toEqual(index.match(subject))
  return index.match(subject)
}

describe("a webhook that watches webhooks", () => {
  it("does not fire for a turn of its own health, and others do", () => {
    expect(fires(changed(turn))).toEqual([8])
  })

  it.each([
    ["its health turned with something else", { ...turn, enabled: false }],
    ["another field changed", { name: "renamed" }],
    ["a list changed", { ...turn, content_types: ["dcim.rack"] }],
    ["nothing but the time of a turn changed", { health_since: "2026-11-20T14:02:11Z" }]
  ])("fires for itself where %s", (_, fields) => {
    expect(fires(changed(fields))).toEqual([7, 8])
  })

  it("does not fire for an alarm about itself, and others do", () => {
    const about = (webhook: unknown): Subject => ({ type: "extras.alarm", kind: "created", data: { id: 7, webhook } })
    const matching = (subject: Subject) => {
      const index = new WebhookIndex()
      for (const webhook of [7, 8]) index.set(webhook, { ...alert, content_types: ["extras.alarm"] })
      return index.match(subject)
    }
    expect(matching(about({ id: 7, name: "alert" }))).toEqual([8])
    expect(matching(about(null))).toEqual([7, 8])
  })

  it("fires for a turn of another type's health, and for what is known without snapshots", () => {
    const index = new WebhookIndex()
    index.set(7, { ...alert, content_types: ["dcim.site", "extras.webhook"] })
    expect(index.match({ ...changed(turn), type: "dcim.site" })).toEqual([7])
    expect(index.match({ type: "extras.webhook", kind: "updated", data: { id: 7 } })).toEqual([7])
    expect(index.match(changed(turn, "created"))).toEqual([7])
  })
})
