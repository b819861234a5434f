import { expect, test } from "vitest"
import type { WebhookRow } from "../../src/match/WebhookIndex.ts"
import { RecentChanges } from "../../src/pipeline/RecentChanges.ts"

const noon = Date.UTC(2026, 10, 20, 12)

const changedAt = (millis: number) => ({ last_updated: new Date(millis).toISOString() }) as unknown as WebhookRow

test("a change is recent for a minute after it was learned", () => {
  const recent = new RecentChanges()
  recent.learn(1, changedAt(noon), noon + 5)
  expect([recent.of(1, noon + 6), recent.of(1, noon + 60_004), recent.of(1, noon + 60_005)]).toEqual([
    noon,
    noon,
    undefined
  ])
  expect(recent.of(2, noon)).toBeUndefined()
})

test("a webhook that was changed long before it was learned is not", () => {
  const recent = new RecentChanges()
  recent.learn(1, changedAt(noon), noon + 60_000)
  expect(recent.of(1, noon + 60_000)).toBeUndefined()
})

test("a later change counts, and a deletion ends it", () => {
  const recent = new RecentChanges()
  recent.learn(1, changedAt(noon), noon)
  recent.learn(1, changedAt(noon + 9), noon + 9)
  expect(recent.of(1, noon + 10)).toBe(noon + 9)
  recent.learn(1, undefined, noon + 11)
  expect(recent.of(1, noon + 12)).toBeUndefined()
})
