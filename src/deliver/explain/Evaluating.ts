/** Verdicts about many events: within a time limit, and with the scope of the webhook. */
import { Effect } from "effect"
import { seen } from "../../auth/Sight.ts"
import { mapInSlices } from "../../Slices.ts"
import type { MatchFields, Subject } from "../../match/WebhookIndex.ts"
import { type Verdict, verdictOf } from "../../match/Verdict.ts"
import type { Readable } from "./ExplainedEvent.ts"

/** Time that the conditions of one request may take together, milliseconds: an honest one takes microseconds an event. */
const evaluationMillisMax = 1000

/** Counts the time of evaluations. */
export class WorkLimit {
  private spentMillis = 0

  get isSpent(): boolean {
    return this.spentMillis > evaluationMillisMax
  }

  run<A>(work: () => A): A {
    const begin = performance.now()
    const result = work()
    this.spentMillis += performance.now() - begin
    return result
  }
}

interface Asked {
  readonly readable: Readable
  /** Undefined while the webhook does not exist. */
  readonly fields: MatchFields | undefined
  /** Id of the webhook; absent for one that is not stored. */
  readonly webhook?: number | undefined
  /** Conditions see what the reader sees, also where that is less than what webhooks see. */
  readonly isForReader?: boolean
}

/** A verdict about each event; undefined where the webhook did not exist, or the time was used up. */
export const verdictsOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>, limit: WorkLimit) {
  const scopes = asked.map(({ fields }) => fields?.scope_user ?? undefined)
  const answers = yield* seen(
    asked.map(({ readable: { event, subject } }, at) => ({
      type: subject.type,
      objectId: Number(event.object_id),
      data: subject.data,
      viewers: scopes[at] === undefined ? [] : [scopes[at]]
    }))
  )
  return yield* mapInSlices(asked, ({ readable, fields, webhook, isForReader }, at): Verdict | undefined => {
    if (fields === undefined || limit.isSpent) return undefined
    const { subject, shown } = readable
    const answer = answers[at]
    const scoped: Subject =
      scopes[at] === undefined || answer === undefined ? subject : { ...subject, data: answer.data }
    const decided = { webhook, isSeen: answer !== undefined, scoped, ...(isForReader !== true && { shown }) }
    return limit.run(() =>
      verdictOf(fields, subject, isForReader === true ? { ...decided, scoped: shown ?? scoped } : decided)
    )
  })
})
