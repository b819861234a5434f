/** Alarms that begin, resume or end. Pure. Times are milliseconds since 1970 on Postgres' clock. */
import type { PaceValues } from "../eventloop/Pace.ts"
import { type ProblemKind, problemKinds } from "../telemetry/ProblemKinds.ts"

/** A problem and its alarms have the same kind and subject. */
interface AlarmKey {
  readonly kind: ProblemKind
  readonly subject: string
}

/** A problem that lasts. */
export interface PresentProblem extends AlarmKey {
  /** The id of the webhook that it is about; null for none. */
  readonly webhook: number | null
  readonly message: string
  readonly since: number
}

/** An alarm that lasts, or the last one about its subject, if that ended within `recurMillis`. */
export interface StoredAlarm extends AlarmKey {
  readonly id: number
  readonly isOpen: boolean
  /** When it was written last. */
  readonly written: number
  readonly occurrences: number
}

/** `resume`: an alarm that ended lasts again. */
export type AlarmStep =
  | { readonly step: "begin"; readonly problem: PresentProblem }
  | { readonly step: "resume"; readonly id: number; readonly problem: PresentProblem }
  | { readonly step: "end"; readonly id: number; readonly subject: string }

interface Sight {
  readonly now: number
  /** When this process saw the problem of an alarm last, or began to compare. */
  readonly lastSeen: (key: string) => number
}

export const alarmKey = ({ kind, subject }: AlarmKey): string => `${kind} ${subject}`

export const alarmSteps = (
  problems: ReadonlyArray<PresentProblem>,
  alarms: ReadonlyArray<StoredAlarm>,
  { now, lastSeen }: Sight,
  pace: PaceValues["alarm"]
): ReadonlyArray<AlarmStep> => {
  const known = new Map(alarms.map((alarm) => [alarmKey(alarm), alarm]))
  const present = new Map(problems.map((problem) => [alarmKey(problem), problem]))
  const begun = [...present].flatMap(([key, problem]): ReadonlyArray<AlarmStep> => {
    const alarm = known.get(key)
    if (alarm?.isOpen === true || now - problem.since < pace.beginMillis) return []
    return [alarm === undefined ? { step: "begin", problem } : { step: "resume", id: alarm.id, problem }]
  })
  const ended = [...known].flatMap(([key, alarm]): ReadonlyArray<AlarmStep> => {
    if (!alarm.isOpen || present.has(key)) return []
    // Another process may have seen the problem later.
    if (now - Math.max(lastSeen(key), alarm.written) < calmOf(alarm, pace)) return []
    return [{ step: "end", id: alarm.id, subject: alarm.subject }]
  })
  return [...begun, ...ended]
}

/** How long the problem of an alarm has to be absent. */
const calmOf = ({ kind, occurrences }: StoredAlarm, { calmMillis, recurMillis }: PaceValues["alarm"]): number => {
  if (occurrences > 1) return recurMillis
  return problemKinds[kind].isStored === true ? 0 : calmMillis
}
