/**
 * Stores the problems of the service as alarms (types/extras/Alarm.ts), objects whose changes are events like any other.
 *
 * Responsible for: comparing the problems with the stored alarms, and writing where they differ. Every process that
 * delivers does so, so that neither Redis nor another process is needed. Guarantees: a problem has one alarm, from soon
 * after its begin until it is over, whatever is restarted meanwhile and however many processes see it: the index on open
 * alarms, and steps that name the state that they replace, make a second write a no-op. A recurring problem
 * changes its alarm a bounded number of times (AlarmSteps.ts). An outage of Postgres is written when it is over. Does not:
 * alert about a gap before changes are captured again, because no event would follow.
 */
import { Clock, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { unacknowledgedGaps, gapsSentence } from "../capture/slot/Gaps.ts"
import { Settings } from "../Config.ts"
import { Pace } from "../eventloop/Pace.ts"
import { type FailingWebhook, failingWebhooks, unhealthySentence } from "../history/health/Unhealthy.ts"
import { objectType } from "../inventory/Registry.ts"
import { isAlive } from "../postgres/Presence.ts"
import { problemKindOf, problemKinds, problemsIn } from "../telemetry/ProblemKinds.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { type AlarmStep, type PresentProblem, type StoredAlarm, alarmKey, alarmSteps } from "./AlarmSteps.ts"
import { withReason } from "./Reason.ts"

const { table } = objectType("extras.alarm")

/** Longest message of an alarm, characters: it ends with an error, perhaps. */
const messageMax = 2000

interface Observation {
  /** When Postgres read it, milliseconds since 1970. */
  readonly now: number
  /** The problems of the running processes, as each reports them. */
  readonly reported: ReadonlyArray<string>
  readonly failing: ReadonlyArray<FailingWebhook>
  readonly alarms: ReadonlyArray<StoredAlarm>
}

const observed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { recurMillis } = (yield* Pace).alarm
  const [row] = yield* sql.unsafe<{ readonly found: Observation }>(
    `select json_build_object('now', (extract(epoch from now()) * 1000)::float8, 'failing', ${failingWebhooks},
              'reported', (select coalesce(json_agg(parts #>> '{health,problem}' order by name), '[]')
                             from rackwire_process where ${yield* isAlive} and parts #>> '{health,problem}' <> ''),
              -- An open alarm is behind one that has ended: the last one counts.
              'alarms', (select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'subject', subject,
                                  'isOpen', ended is null, 'occurrences', occurrences,
                                  'written', (extract(epoch from last_updated) * 1000)::float8)
                                order by ended is null, ended, id), '[]')
                           from ${table} where ended is null or ended > now() - interval '${recurMillis} milliseconds')) as found`
  )
  return row!.found
})

export class AlarmWatch {
  /** The first comparison, and when each problem was seen first since it was last absent, on Postgres' clock. */
  private first: number | undefined
  private readonly begun = new Map<string, number>()
  /** When the problem of each open alarm was seen last. */
  private readonly seen = new Map<string, number>()
  /** Since when no comparison has succeeded, on the clock of this process. */
  private failing: number | undefined

  /** Writes the steps that are due. */
  private readonly round = Effect.fnUntraced({ self: this }, function* (this: AlarmWatch) {
    const { alarm } = yield* Pace
    const found = yield* observed
    const { now } = found
    this.first ??= now
    const outage = this.failing === undefined ? 0 : (yield* Clock.currentTimeMillis) - this.failing
    const problems = [
      ...this.reported(found, outage),
      ...(yield* unacknowledgedGaps).filter(({ isOver }) => isOver).map(gapProblem),
      ...found.failing.map(webhookProblem)
    ]
    for (const key of problems.map(alarmKey)) this.seen.set(key, now)
    const lastSeen = (key: string) => this.seen.get(key) ?? this.first!
    const steps = alarmSteps(problems, found.alarms, { now, lastSeen }, alarm)
    for (const step of steps) yield* write(step)
    const open = new Set(found.alarms.filter(({ isOpen }) => isOpen).map(alarmKey))
    for (const key of this.seen.keys()) if (!open.has(key) && !this.begun.has(key)) this.seen.delete(key)
    this.failing = undefined
  })

  /** Compares once, and remembers a failure. */
  readonly compare = Effect.suspend(() => this.round()).pipe(
    Effect.catch((error) =>
      Effect.andThen(
        Effect.map(Clock.currentTimeMillis, (now) => void (this.failing ??= now)),
        Effect.logWarning(`deliver: alarms were not compared, trying again: ${inWords(error)}`)
      )
    )
  )

  /** The problems that processes report, one of each kind: several processes report the same cause. */
  private reported({ now, reported }: Observation, outage: number): ReadonlyArray<PresentProblem> {
    const unanswered = outage === 0 ? [] : [`the database did not answer for ${Math.round(outage / 1000)} s`]
    const isReported = (sentence: string) => problemKinds[problemKindOf(sentence)].isStored !== true
    const sentences = [...unanswered, ...reported.flatMap(problemsIn)].filter(isReported)
    const kinds = Map.groupBy(sentences, problemKindOf)
    const problems = [...kinds].map(([kind, [message = ""]]): PresentProblem => {
      const subject = problemKinds[kind].label
      const began = kind === "database" ? now - outage : now
      const since = Math.min(this.begun.get(alarmKey({ kind, subject })) ?? now, began)
      return { kind, subject, webhook: null, message, since }
    })
    this.begun.clear()
    for (const problem of problems) this.begun.set(alarmKey(problem), problem.since)
    return problems
  }
}

const gapProblem = ({ id, sentence, since }: { id: number; sentence: string; since: number }): PresentProblem => ({
  ...{ kind: "gap", subject: `gap ${id}`, webhook: null },
  ...{ message: gapsSentence(1, sentence), since }
})

const webhookProblem = ({ id, name, since, waiting }: FailingWebhook): PresentProblem => ({
  ...{ kind: "webhook_failing", subject: `webhook ${id}`, webhook: id },
  ...{ message: unhealthySentence([{ state: "failing", name, waiting }])!, since }
})

/** Does nothing where another process has taken the step. */
const write = Effect.fnUntraced(function* (step: AlarmStep) {
  const news = step.step === "end" ? `${step.subject}: it is over` : step.problem.message.slice(0, messageMax)
  const written = yield* withReason(news, yield* statementOf(step, news))
  if (written.length === 0) return
  if (step.step === "end") return yield* Effect.logInfo(`deliver: the alarm about ${step.subject} has ended`)
  yield* Effect.logWarning(`deliver: an alarm about ${step.problem.subject}: ${news}`)
})

const statementOf = (step: AlarmStep, message: string) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    if (step.step === "end") {
      return sql.unsafe(
        `update ${table} set ended = now() where id = $1::bigint and ended is null returning 1 as one`,
        [step.id]
      )
    }
    const { kind, subject, webhook, since } = step.problem
    const began = new Date(since).toISOString()
    return step.step === "begin"
      ? sql.unsafe(
          `insert into ${table} (kind, subject, webhook_id, message, since)
           values ($1, $2, $3::bigint, $4, $5::timestamptz)
           on conflict (kind, subject) where ended is null do nothing returning 1 as one`,
          [kind, subject, webhook, message, began]
        )
      : sql.unsafe(
          `update ${table} set ended = null, occurrences = occurrences + 1, message = $2, since = $3::timestamptz
            where id = $1::bigint and ended is not null returning 1 as one`,
          [step.id, message, began]
        )
  })

/** Deletes the alarms that ended before the change log begins. */
export const forgetAlarms = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { changelogRetention } = yield* Settings
  const kept = `${Duration.toMillis(changelogRetention)} milliseconds`
  yield* withReason("It ended long ago.", sql.unsafe(`delete from ${table} where ended < now() - $1::interval`, [kept]))
})
