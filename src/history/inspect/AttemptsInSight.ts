/**
 * The attempts of a delivery as the current reader may see them.
 *
 * A user who may view an object may see its deliveries. The address, the headers and the answer of an attempt may hold
 * more: values that templates took from objects inside the event or from the other events of a batch, and values that a
 * receiver repeats. Readers who may view all these objects see them; other readers see `***`.
 */
import { Effect } from "effect"
import { Clearance } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { hiddenMark } from "../../inventory/field/hidden/Hiding.ts"
import { type LoggedAttempt, type WantedAttempts, loggedAttempts } from "./Attempts.ts"
import { type InspectedDelivery, definitionAt, eventFor } from "./SentRequest.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

/** The attempts of a delivery that the reader may see, the oldest first. */
export const attemptsInSight = Effect.fnUntraced(function* (delivery: InspectedDelivery, wanted: WantedAttempts = {}) {
  const found = yield* loggedAttempts(delivery, wanted)
  const attempts = found.map(({ attempt }) => attempt)
  const { where } = yield* Clearance
  if (attempts.length === 0 || isEverything(where(deliveryType, "view"))) return attempts
  const isEventWhole = yield* seesEvent(delivery, attempts)
  return found.map(({ attempt, isOfSeveral }) => (isEventWhole && !isOfSeveral ? attempt : withoutContent(attempt)))
})

/** Whether no object inside the event, as it was sent, is hidden from the reader. */
const seesEvent = Effect.fnUntraced(function* (delivery: InspectedDelivery, attempts: ReadonlyArray<LoggedAttempt>) {
  const { webhook } = delivery
  if (webhook === null) return false
  // A scope that was changed between the attempts is none: objects that it hid may have been sent.
  const ends = [attempts[0]!, attempts.at(-1)!]
  const scopes = yield* Effect.forEach(ends, ({ started }) =>
    Effect.map(definitionAt(webhook, started), (definition) => definition?.scope_user ?? null)
  )
  const event = yield* eventFor(delivery, scopes[0] === scopes[1] ? scopes[0]! : null)
  return typeof event !== "string" && !event.isMasked
})

/** Failures whose messages may repeat values of the event. */
const ofTemplates: ReadonlySet<string> = new Set(["Render", "Overrun", "Unrendered"])

/** Headers that describe the delivery alone. */
const ownHeaders: ReadonlySet<string> = new Set([
  "x-hook-delivery",
  "x-hook-attempt",
  "webhook-id",
  "webhook-timestamp"
])

type Header = LoggedAttempt["request_headers"][number]

const withoutValue = ({ name, value }: Header): Header => {
  const isOwn = ownHeaders.has(name) || (name === "x-hook-batch-size" && value === "1")
  return { name, value: isOwn ? value : hiddenMark }
}

const withoutContent = (attempt: LoggedAttempt): LoggedAttempt => ({
  ...attempt,
  url: hiddenMark,
  request_headers: attempt.request_headers.map(withoutValue),
  response_headers: attempt.response_headers.map(({ name }) => ({ name, value: hiddenMark })),
  response_body: attempt.response_body === "" ? "" : hiddenMark,
  message: ofTemplates.has(attempt.reason) ? hiddenMark : attempt.message
})
