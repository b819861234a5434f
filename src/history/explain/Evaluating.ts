/** Verdicts about many events: within a time limit, and with the scope of the webhook. */
import { Effect } from "effect"
import { seen } from "../../auth/Sight.ts"
import { maskedState } from "../../inventory/derive/represent/Masked.ts"
import { mapInSlices } from "../../eventloop/Slices.ts"
import type { MatchFields } from "../../match/WebhookIndex.ts"
import { type Verdict, verdictOf } from "../../match/Verdict.ts"
import type { Readable, EventState } from "./ExplainedEvent.ts"

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

interface Evaluation {
  readonly readable: Readable
  /** Undefined while the webhook does not exist. */
  readonly fields: MatchFields | undefined
  /** Id of the webhook; absent for one that is not stored. */
  readonly webhook?: number | undefined
  /** Conditions see what the reader sees, also where that is less than what webhooks see. */
  readonly isForReader?: boolean
}

interface EvaluationResult {
  readonly verdict: Verdict
  /** The part of the event, as the condition sees it, that the reader may see. */
  readonly read: EventState
}

/** A verdict about each event; undefined where the webhook did not exist, or the time was used up. */
export const verdictsOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Evaluation>, limit: WorkLimit) {
  const scopes = asked.map(({ fields }) => fields?.scope_user ?? undefined)
  const answers = yield* seen(
    asked.map(({ readable: { event, subject } }, at) => ({
      ...{ type: subject.type, data: subject.data, snapshots: subject.snapshots },
      objectId: Number(event.object_id),
      viewers: scopes[at] === undefined ? [] : [scopes[at]]
    }))
  )
  return yield* mapInSlices(asked, ({ readable, fields, webhook, isForReader }, at): EvaluationResult | undefined => {
    if (fields === undefined || limit.isSpent) return undefined
    const { subject, hidden } = readable
    const answer = answers[at]
    const isScoped = scopes[at] !== undefined && answer !== undefined
    const scoped = isScoped ? { ...subject, data: answer.data, snapshots: answer.snapshots } : subject
    const read = maskedState(scoped, hidden)
    const decided = { webhook, isSeen: answer !== undefined }
    const verdict = limit.run(() =>
      verdictOf(
        fields,
        subject,
        isForReader === true
          ? { ...decided, scoped: read }
          : { ...decided, scoped, shown: hidden.size === 0 ? undefined : read }
      )
    )
    return { verdict, read }
  })
})
