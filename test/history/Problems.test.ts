/** The problems that processes report, each with its kind. */
import { expect, it } from "vitest"
import { problemsOf } from "../../src/history/tasks/Problems.ts"
import { problemKindOf, problemKinds, problemText } from "../../src/telemetry/ProblemKinds.ts"

const reporting = (name: string, ...problems: ReadonlyArray<string>) => ({
  ...{ name, started: "", seen: "", lost: false, quiet: false, state: "idle" as const, roles: [] },
  parts: { health: { problem: problemText(problems), problems: problems.length } }
})

it("a problem is one sentence, also of several parts and lines, and named once for all processes", () => {
  const gap = "a gap in the captured changes, not acknowledged: 1: the slot was lost; the publication was dropped"
  const found = problemsOf([
    reporting("one", gap, "capture is waiting connection refused\nby one"),
    reporting("two", gap)
  ])
  expect(found).toEqual([
    { problem: gap, advice: problemKinds.gap.advice, processes: ["one", "two"] },
    { problem: "capture is waiting connection refused by one", advice: problemKinds.capture.advice, processes: ["one"] }
  ])
})

it.each([
  ["capture is waiting Redis takes no writes: OOM", "capture"],
  ["no sweep has ended for 20 s: Redis does not answer", "sweep"],
  ["webhook 3 could not be read for 12 s: WRONGTYPE, and 2 more", "webhook_unread"],
  ["Redis takes no writes: MISCONF: the disk is full", "redis"],
  ["something that no part reports", "other"]
])("%s is of the kind %s", (sentence, kind) => expect(problemKindOf(sentence)).toBe(kind))
