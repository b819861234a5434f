/**
 * One attempt of a delivery: its request is made and sent, and its outcome decided.
 *
 * A webhook without templates and tokens needs nothing but its delivery: its attempts are plain function calls. Others
 * wait for their rendering in a fiber. Both send alike. A batch takes the place of a delivery.
 */
import { Clock, Effect, Result } from "effect"
import type { Delivery } from "../../event/Delivery.ts"
import { hiddenMark } from "../../inventory/field/hidden/Hiding.ts"
import type { Templates } from "../../template/Template.ts"
import type { Connected } from "../../webhook/Connected.ts"
import type { Definition } from "../../webhook/Definition.ts"
import type { Loaded } from "../../changelog/EventBodies.ts"
import { sendAs } from "../../webhook/identity/Identity.ts"
import { type Attempt, type Failure, type Outcome, type Phases, Unsendable, overrunsMax } from "../../event/Outcome.ts"
import { buildRequest, plainRequest } from "../../webhook/Request.ts"
import type { Outgoing } from "../../transport/Outgoing.ts"
import { decide } from "../../webhook/RetrySchedule.ts"
import { type Sent, send } from "../../transport/Send.ts"

export interface Made {
  readonly attempt: Attempt
  /** The receiver wants nothing any more. */
  readonly isGone: boolean
}

/** Makes an attempt for a webhook without templates and tokens, and calls back once, at once or later. */
export const attemptPlainly = (
  { definition, connections }: Connected,
  delivery: Delivery,
  nowMillis: number,
  onMade: (made: Made) => void
): void => {
  const begun = beginAt(nowMillis)
  const request = requestOrDefect(definition, delivery, nowMillis)
  if (Result.isFailure(request)) return onMade(unsent(definition, delivery, begun, request.failure))
  send(request.success, connections, definition.timeoutMillis, nowMillis, (sent) =>
    onMade(madeOf(delivery, begun, request.success, sent))
  )
}

/** Makes an attempt with an event that was loaded, or with the reason why it was not. */
export const makeAttempt = (
  connected: Connected,
  delivery: Delivery,
  loaded: Result.Result<Loaded, Failure>,
  templates: Templates["Service"],
  /** Told the length of the body, bytes, when it is rendered. */
  onBody: (bytes: number) => void
): Effect.Effect<Made> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const { definition } = connected
    const begun = beginAt(nowMillis)
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
      Effect.map((sent) => madeOf(delivery, begun, sent, withoutRenderedHost(definition, sent))),
      Effect.catchDefect((defect) => Effect.fail(new Unsendable({ failure: toldAsDefect(defect) }))),
      Effect.catch(({ failure }) => Effect.succeed(unsent(definition, delivery, begun, failure)))
    )
  })

/** The outcome of an attempt. `random`, from 0 to 1, is for the jitter. */
export const outcomeOf = (
  definition: Definition,
  delivery: Delivery,
  attempt: Attempt,
  random: number
): Effect.Effect<Outcome> => {
  const { failure, started, durationMillis } = attempt
  if (failure === undefined) return Effect.succeed({ kind: "Delivered" })
  if (isSpent(delivery, failure)) return Effect.succeed({ kind: "Dead", failure })
  return decide(definition.schedule, {
    failure,
    attempts: delivery.spent + 1,
    elapsedMillis: started + durationMillis - (delivery.firstAttempt || started),
    random
  })
}

/** Milliseconds since 1970, and by a clock that cannot be set meanwhile. */
const beginAt = (nowMillis: number) => ({ started: nowMillis, at: performance.now() })

type Begun = ReturnType<typeof beginAt>

/** A fault of ours must not keep the delivery from being logged: it would be attempted for ever. */
const toldAsDefect = (defect: unknown): Failure => ({ reason: "Render", message: `A defect: ${String(defect)}` })

const requestOrDefect = (...given: Parameters<typeof plainRequest>): Result.Result<Outgoing, Failure> => {
  try {
    return plainRequest(...given)
  } catch (defect) {
    return Result.fail(toldAsDefect(defect))
  }
}

const madeOf = (
  delivery: Delivery,
  { started, at }: Begun,
  { url, headers }: Pick<Outgoing, "url" | "headers">,
  { response, failure, phases, isGone }: Sent
): Made => {
  const durationMillis = Math.round(performance.now() - at)
  const number = delivery.attempts + 1
  return { attempt: { number, started, durationMillis, url, headers, response, failure, phases }, isGone }
}

/**
 * A message about the connection without a host that a template took from the event: messages are shown with the
 * delivery, also to readers who may not view the object inside the event that names the host.
 */
const withoutRenderedHost = <A extends Sent & Pick<Outgoing, "url">>({ identity }: Definition, sent: A): A => {
  const { failure, url } = sent
  const host = failure === undefined ? undefined : URL.parse(url)?.hostname
  const isWritten = "address" in identity && identity.address.toLowerCase().includes(host ?? "")
  if (failure === undefined || host === undefined || isWritten) return sent
  return { ...sent, failure: { ...failure, message: failure.message.replaceAll(host, hiddenMark) } }
}

/** An attempt that fails before anything is made for it. */
export const failUnsent = (definition: Definition, delivery: Delivery, nowMillis: number, failure: Failure): Made =>
  unsent(definition, delivery, beginAt(nowMillis), failure)

/** An attempt that never came to a request. */
const unsent = ({ url }: Definition, delivery: Delivery, begun: Begun, failure: Failure): Made =>
  madeOf(
    delivery,
    begun,
    { url, headers: {} },
    { response: undefined, failure: toldAsSpent(delivery, failure), phases: none, isGone: false }
  )

const none: Phases = { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, body: undefined }

/** Whether the webhook's templates have had all the time that a delivery gets. */
const isSpent = ({ overruns = 0 }: Delivery, { reason }: Failure): boolean =>
  reason === "Overrun" && overruns + 1 >= overrunsMax

const toldAsSpent = (delivery: Delivery, failure: Failure): Failure =>
  isSpent(delivery, failure)
    ? { ...failure, message: `The templates ran out of time in ${overrunsMax} attempts: ${failure.message}` }
    : failure
