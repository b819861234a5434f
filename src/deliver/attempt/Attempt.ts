/** One attempt of a delivery: the request is built and sent, and its outcome decided. */
import { Clock, Effect, Random, Result } from "effect"
import type { Delivery } from "../../event/Delivery.ts"
import type { Templates } from "../../template/Template.ts"
import type { Connected } from "../actor/Connected.ts"
import type { Loaded } from "./EventBodies.ts"
import { type Attempt, type Failure, type Outcome, Unsendable, overrunsMax } from "../outcome/Outcome.ts"
import { buildRequest } from "./Request.ts"
import { decide } from "../outcome/RetrySchedule.ts"
import { type Sent, send } from "./Send.ts"

export interface Attempted {
  readonly attempt: Attempt
  readonly outcome: Outcome
  /** The receiver wants nothing any more. */
  readonly isGone: boolean
}

/** Of an attempt that never came to a request. */
const unsent: Omit<Sent, "failure"> = {
  response: undefined,
  isGone: false,
  phases: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, body: undefined }
}

/** Whether the webhook's templates have had all the time that a delivery gets. */
const isSpent = ({ overruns = 0 }: Delivery, { reason }: Failure): boolean =>
  reason === "Overrun" && overruns + 1 >= overrunsMax

const toldAsSpent = (delivery: Delivery, failure: Failure): Failure =>
  isSpent(delivery, failure)
    ? { ...failure, message: `The templates ran out of time in ${overrunsMax} attempts: ${failure.message}` }
    : failure

export const makeAttempt = Effect.fnUntraced(function* (
  { definition, connections }: Connected,
  delivery: Delivery,
  loaded: Result.Result<Loaded, Failure>,
  templates: Templates["Service"]
) {
  const started = yield* Clock.currentTimeMillis
  // Time that passes is taken from a clock that cannot be set meanwhile.
  const begun = performance.now()
  const { isGone, ...sent } = yield* (
    Result.isFailure(loaded)
      ? Effect.fail(new Unsendable({ failure: loaded.failure }))
      : buildRequest(definition, loaded.success, templates, started)
  ).pipe(
    Effect.flatMap((outgoing) =>
      Effect.map(send(outgoing, connections, definition.timeoutMillis, started), (sent) => ({
        ...sent,
        url: outgoing.url,
        headers: outgoing.headers
      }))
    ),
    // A fault of ours must not keep the delivery from being logged: it would be attempted for ever.
    Effect.catchDefect((defect) =>
      Effect.fail(new Unsendable({ failure: { reason: "Render", message: `A defect: ${String(defect)}` } }))
    ),
    Effect.catch(({ failure }) =>
      Effect.succeed({ ...unsent, failure: toldAsSpent(delivery, failure), url: definition.url, headers: {} })
    )
  )
  const durationMillis = Math.round(performance.now() - begun)
  const outcome: Outcome =
    sent.failure === undefined
      ? { kind: "Delivered" }
      : isSpent(delivery, sent.failure)
        ? { kind: "Dead", failure: sent.failure }
        : yield* decide(definition.schedule, {
            failure: sent.failure,
            attempts: delivery.spent + 1,
            elapsedMillis: started + durationMillis - (delivery.firstAttempt || started),
            random: yield* Random.next
          })
  const attempt = { number: delivery.attempts + 1, started, durationMillis, ...sent }
  return { attempt, outcome, isGone } satisfies Attempted
})
