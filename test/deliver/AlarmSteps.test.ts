/** The alarms that begin, resume and end. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type PresentProblem, type StoredAlarm, alarmKey, alarmSteps } from "../../src/deliver/AlarmSteps.ts"
import { usualPace } from "../../src/eventloop/Pace.ts"
import type { ProblemKind } from "../../src/telemetry/ProblemKinds.ts"

const pace = usualPace.alarm

const problem = (kind: ProblemKind, since: number): PresentProblem => ({
  ...{ kind, subject: kind, webhook: null, message: "" },
  since
})

const alarm = (kind: ProblemKind, fields: Partial<StoredAlarm> = {}): StoredAlarm => ({
  ...{ kind, subject: kind, id: 1, isOpen: true, written: 0, occurrences: 1 },
  ...fields
})

/** The steps at a time, of problems that were seen last at another. */
const stepsAt = (
  now: number,
  problems: ReadonlyArray<PresentProblem>,
  alarms: ReadonlyArray<StoredAlarm>,
  lastSeen = 0
) => alarmSteps(problems, alarms, { now, lastSeen: () => lastSeen }, pace).map(({ step }) => step)

describe("an alarm", () => {
  it("begins when its problem has lasted for a while, once", () => {
    const redis = problem("redis", 0)
    expect(stepsAt(pace.beginMillis - 1, [redis], [])).toEqual([])
    expect(stepsAt(pace.beginMillis, [redis, redis, problem("disk", 0)], [])).toEqual(["begin", "begin"])
    expect(stepsAt(pace.beginMillis, [redis], [alarm("redis")])).toEqual([])
    expect(stepsAt(pace.beginMillis, [redis], [alarm("redis", { isOpen: false })])).toEqual(["resume"])
  })

  it("ends when its problem has been absent for a while, and that of a row at once", () => {
    expect(stepsAt(pace.calmMillis - 1, [], [alarm("redis")])).toEqual([])
    expect(stepsAt(pace.calmMillis, [], [alarm("redis")])).toEqual(["end"])
    expect(stepsAt(pace.calmMillis, [problem("redis", 0)], [alarm("redis")])).toEqual([])
    for (const kind of ["gap", "webhook_failing"] as const) expect(stepsAt(1, [], [alarm(kind)])).toEqual(["end"])
  })

  it("that resumed ends later", () => {
    for (const kind of ["gap", "redis"] as const) {
      const again = alarm(kind, { occurrences: 2 })
      expect(stepsAt(pace.recurMillis - 1, [], [again])).toEqual([])
      expect(stepsAt(pace.recurMillis, [], [again])).toEqual(["end"])
    }
  })

  it("does not end because this process did not see what another one has written", () => {
    expect(stepsAt(pace.calmMillis, [], [alarm("redis", { written: 1 })])).toEqual([])
    expect(stepsAt(pace.calmMillis, [], [alarm("redis")], 1)).toEqual([])
  })
})

/** Rounds of some hours. */
const rounds = 5000

/** Writes per span, for a problem that is present as `presence` says, round by round. */
const writes = (kind: ProblemKind, presence: (round: number) => boolean): ReadonlyArray<number> => {
  const written: Array<number> = []
  let stored: StoredAlarm | undefined
  let ended = 0
  let [since, seen]: [number | undefined, number] = [undefined, 0]
  for (let round = 0; round < rounds; round++) {
    const now = round * pace.roundMillis
    since = presence(round) ? (since ?? now) : undefined
    if (since !== undefined) seen = now
    const isKnown = stored !== undefined && (stored.isOpen || now - ended < pace.recurMillis)
    const problems = since === undefined ? [] : [problem(kind, since)]
    const steps = alarmSteps(problems, isKnown ? [stored!] : [], { now, lastSeen: () => seen }, pace)
    for (const { step } of steps) {
      written.push(now)
      const occurrences: number = step === "begin" ? 1 : stored!.occurrences + (step === "resume" ? 1 : 0)
      stored = alarm(kind, { isOpen: step !== "end", written: now, occurrences })
      if (step === "end") ended = now
    }
  }
  return written
}

/** Most writes in any ten minutes. */
const mostWrites = (times: ReadonlyArray<number>): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + pace.recurMillis).length))

it("a recurring problem changes its alarm at most four times in ten minutes", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ProblemKind>("redis", "webhook_failing", "gap"),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 })), { minLength: 1 }),
      (kind, turns) => {
        const period = turns.flatMap(([on, off]) => [
          ...Array<boolean>(on).fill(true),
          ...Array<boolean>(off).fill(false)
        ])
        const most = mostWrites(writes(kind, (round) => period[round % period.length]!))
        expect(most).toBeLessThanOrEqual(4)
      }
    ),
    { numRuns: 30 }
  )
})

it("an alarm is known by its kind and its subject", () => {
  expect(alarmKey(problem("gap", 0))).not.toBe(alarmKey({ ...problem("gap", 0), subject: "gap 2" }))
})
