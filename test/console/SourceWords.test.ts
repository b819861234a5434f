/** The state of a source in a sentence. */
import { expect, it } from "vitest"
import { sourceState } from "../../src/console/source/SourceWords.ts"

const progress = {
  ...{ holder: "host:1", silentMillis: 500, confirmedLsn: "0/1", lagBytes: 0, retainedBytes: 0 },
  ...{ lastChangeId: "1", lastChangeAt: "2026-11-29T02:00:00Z", events: 1, problem: "" }
}
const reading = { enabled: true, status: "reading", status_note: "" } as const

it.each([
  ["ok", "Reading its changes.", reading, progress],
  ["warn", "Reading, with a problem.", reading, { ...progress, problem: "slow" }],
  ["bad", "No process has read it for 15.0 s.", reading, { ...progress, silentMillis: 15_001 }],
  ["ok", "Reading its changes.", reading, { ...progress, silentMillis: 15_000 }],
  ["warn", "Waiting: no process has begun to read it.", reading, null],
  ["warn", "Waiting: no process has begun to read it.", reading, { ...progress, silentMillis: null }],
  ["warn", "Waiting: no process has begun to read it.", { ...reading, status: "waiting" }, progress],
  ["bad", "Failing: its changes are not read.", { ...reading, status: "failing", status_note: "no slot" }, progress],
  ["off", "Disabled: its changes are not read.", { ...reading, enabled: false, status: "stopped" }, progress]
] as const)("%s: %s", (dot, sentence, source, found) => {
  expect(sourceState(source, found, 15_000)).toMatchObject({ dot, sentence })
})

it("has the reason of a failure and of a problem, and says that a slot keeps WAL while the source is disabled", () => {
  const failing = { ...reading, status: "failing", status_note: "no slot" } as const
  expect(sourceState(failing, progress, 15_000).note).toBe("no slot")
  expect(sourceState(reading, { ...progress, problem: "slow" }, 15_000).note).toBe("slow")
  const disabled = { ...reading, enabled: false, status: "stopped" } as const
  expect(sourceState(disabled, progress, 15_000).note).toContain("keeps WAL")
  expect(sourceState(disabled, { ...progress, confirmedLsn: null }, 15_000).note).toBe("")
})
