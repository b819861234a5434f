/**
 * One attempt of a delivery: its request is made and sent, and its outcome decided.
 *
 * A webhook without templates and tokens needs nothing but its delivery: its attempts are plain function calls. Others
 * wait for their rendering in a fiber. Both send alike. A batch takes the place of a delivery.
 */
import { Clock, Effect, Result } from "effect"
import type { Delivery } from "../../event/Delivery.ts"
import { hiddenMark } from "../../inventory/field/hidden/Hiding.ts"
import type { Attempt } from "../../log/Attempt.ts"
import type { Entry } from "../../queue/Entry.ts"
import type { Templates } from "../../template/Template.ts"
import type { WebhookClient } from "../../webhook/Connected.ts"
import type { Definition } from "../../webhook/Definition.ts"
import type { DeliveryWithBody } from "../../changelog/EventBodies.ts"
import { sendAs } from "../../webhook/SendAs.ts"
import { type Answer, type Failure, type Outcome, type Phases, Unsendable, overrunsMax } from "../../event/Outcome.ts"
import { buildRequest, plainRequest } from "../../webhook/Request.ts"
import type { Outgoing } from "../../transport/Outgoing.ts"
import { decide } from "../../webhook/RetrySchedule.ts"
import { send } from "../../transport/Send.ts"

/** An attempt whose outcome is not decided yet. */
export type AttemptExchange = Omit<Attempt, "outcome">

/** Makes an attempt for a webhook without templates and tokens, and calls back once, at once or later. */
export const attemptPlainly = (
  { definition, connections }: WebhookClient,
  entry: Entry,
  nowMillis: number,
  onAnswered: (attempt: AttemptExchange) => void
): void => {
  const begun = begin(entry, nowMillis)
  const request = requestOrDefect(definition, entry.delivery, nowMillis)
  if (Result.isFailure(request)) return onAnswered(unsent(begun, definition, request.failure))
  send(request.success, connections, definition.timeoutMillis, nowMillis, (answer) =>
    onAnswered(answered(begun, request.success, answer))
  )
}

/** Makes an attempt of the entry with an event or a batch that was loaded, or with the reason why it was not. */
export const makeAttempt = (
  connected: WebhookClient,
  entry: Entry,
  loaded: Result.Result<DeliveryWithBody, Failure>,
  templates: Templates["Service"],
  /** Called with the length of the rendered body, bytes. */
  onBody: (bytes: number) => void
): Effect.Effect<AttemptExchange> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const { definition } = connected
    const begun = begin(entry, nowMillis)
    const request = Result.isFailure(loaded)
      ? Effect.succeed(Result.fail(loaded.failure))
      : buildRequest(definition, loaded.success, templates, nowMillis)
    return request.pipe(
      Effect.flatMap((request) =>
        Result.isFailure(request)
          ? Effect.fail(new Unsendable({ failure: request.failure }))
          : Effect.andThen(
              Effect.sync(() => onBody(request.success.body.length)),
              sendAs(request.success, connected, nowMillis)
            )
      ),
      Effect.map(([request, answer]) => answered(begun, request, withoutRenderedHost(definition, request, answer))),
      Effect.catchDefect((defect) => Effect.fail(new Unsendable({ failure: toldAsDefect(defect) }))),
      Effect.catch(({ failure }) => Effect.succeed(unsent(begun, definition, failure)))
    )
  })

/** The outcome of an attempt. `random`, from 0 to 1, is for the jitter. */
export const outcomeOf = (
  definition: Definition,
  { entry: { delivery }, answer: { failure }, started, durationMillis }: AttemptExchange,
  random: number
): Effect.Effect<Outcome> => {
  if (failure === undefined) return Effect.succeed({ kind: "Delivered" })
  if (isSpent(delivery, failure)) return Effect.succeed({ kind: "Dead", failure })
  return decide(definition.schedule, {
    failure,
    attempts: delivery.spent + 1,
    elapsedMillis: started + durationMillis - (delivery.firstAttempt || started),
    random
  })
}

/** An attempt that fails before anything is made for it. */
export const failUnsent = (
  definition: Definition,
  entry: Entry,
  nowMillis: number,
  failure: Failure
): AttemptExchange => unsent(begin(entry, nowMillis), definition, failure)

/** The attempt as one of another entry, which shared its request. */
export const sharedBy = (entry: Entry, attempt: AttemptExchange): AttemptExchange => ({
  ...attempt,
  entry,
  number: numberOf(entry)
})

const numberOf = ({ delivery }: Entry): number => delivery.attempts + 1

/** `started`: milliseconds since 1970; `at`: by a clock that cannot be set meanwhile. */
const begin = (entry: Entry, nowMillis: number) => ({ entry, started: nowMillis, at: performance.now() })

type Begun = ReturnType<typeof begin>

/** A fault of ours must not keep the delivery from being logged: it would be attempted for ever. */
const toldAsDefect = (defect: unknown): Failure => ({ reason: "Render", message: `A defect: ${String(defect)}` })

const requestOrDefect = (...given: Parameters<typeof plainRequest>): Result.Result<Outgoing, Failure> => {
  try {
    return plainRequest(...given)
  } catch (defect) {
    return Result.fail(toldAsDefect(defect))
  }
}

const answered = (
  { entry, started, at }: Begun,
  { url, headers }: Attempt["request"],
  answer: Answer
): AttemptExchange => ({
  entry,
  number: numberOf(entry),
  started,
  durationMillis: Math.round(performance.now() - at),
  // Not the request itself: its body would stay in memory until the attempt is logged.
  request: { url, headers },
  answer
})

/**
 * An answer whose message does not name a host that a template took from the event: messages are shown with the
 * delivery, also to readers who may not view the object inside the event that names the host.
 */
const withoutRenderedHost = ({ identity }: Definition, { url }: Outgoing, answer: Answer): Answer => {
  const { failure } = answer
  const host = failure === undefined ? undefined : URL.parse(url)?.hostname
  const isWritten = identity.address.toLowerCase().includes(host ?? "")
  if (failure === undefined || host === undefined || isWritten) return answer
  return { ...answer, failure: { ...failure, message: failure.message.replaceAll(host, hiddenMark) } }
}

/** An attempt without a request. */
const unsent = (begun: Begun, { url }: Definition, failure: Failure): AttemptExchange =>
  answered(
    begun,
    { url, headers: {} },
    { response: undefined, failure: toldAsSpent(begun.entry.delivery, failure), phases: noPhases }
  )

const noPhases: Phases = { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, body: undefined }

/** Whether the webhook's templates have had all the time that a delivery gets. */
const isSpent = ({ overruns = 0 }: Delivery, { reason }: Failure): boolean =>
  reason === "Overrun" && overruns + 1 >= overrunsMax

const toldAsSpent = (delivery: Delivery, failure: Failure): Failure =>
  isSpent(delivery, failure)
    ? { ...failure, message: `The templates ran out of time in ${overrunsMax} attempts: ${failure.message}` }
    : failure
