/** One event, owed to one webhook. */
import { type Event, type RequestContext, eventBody, requestOf } from "./Event.ts"
import type { Kind } from "./Kind.ts"
import { formatPosition } from "./Position.ts"
import { bareType } from "./SourceType.ts"

export interface Delivery extends DeliveryBody {
  /** Stable: the same through all attempts. */
  readonly id: string
  readonly webhook: number
  /** Position of the change, as in Position.ts; decimal, since JSON has no such numbers. */
  readonly position: string
  readonly idx: number
  readonly event: Kind
  readonly objectType: string
  readonly objectId: number
  readonly requestId: string
  /** Time of the commit, ISO 8601. */
  readonly time: string
  /** Absent for plain SQL. */
  readonly request?: RequestContext | undefined
  /** Why its author made the change; absent where nothing is said. */
  readonly message?: string | undefined
  /** W3C trace context of the request that made the change; absent where it had none. */
  readonly traceparent?: string | undefined
  /** Ids of the webhooks whose deliveries led to the change, the latest one last; absent where none did. */
  readonly chain?: ReadonlyArray<number> | undefined
  /** Attempts made so far. */
  readonly attempts: number
  /** Attempts that the retry schedule counts: a retry by hand begins it anew. */
  readonly spent: number
  /** Time of the first attempt that the schedule counts, milliseconds since 1970; 0 before it. */
  readonly firstAttempt: number
  /**
   * When the next attempt is due, milliseconds since 1970: when it was queued, or as the retry schedule says. Absent for
   * one that was queued again or by an earlier version.
   */
  readonly due?: number
  /**
   * When the webhook had last been changed as the event was matched, milliseconds since 1970: a process that knows an
   * older definition reads it anew. Absent where that was long before.
   */
  readonly webhookChanged?: number
  /** Attempts for which the webhook's templates ran out of time; absent for none. */
  readonly overruns?: number
}

export interface DeliveryBody {
  /** The event as JSON text; empty if it is longer than `inlineCharsMax`: then only the change log has it. */
  readonly body: string
  /** Length of a body that is left out, characters. */
  readonly chars?: number
  /** Keys of the values that such a body does not show (Masked.ts); absent for none. */
  readonly hidden?: ReadonlyArray<string>
}

/** Longest body that a delivery carries, characters: the entries of all webhooks would repeat it. */
const inlineCharsMax = 16 * 1024

/** The part of a delivery with the event's JSON text, without the values that the keys in `hidden` name. */
export const deliveryBody = (event: Event, hidden: ReadonlyArray<string> = []): DeliveryBody => {
  const text = eventBody(event)
  if (text.length <= inlineCharsMax) return { body: text }
  return { body: "", chars: text.length, ...(hidden.length > 0 && { hidden }) }
}

export const deliveryId = (webhook: number, position: string, idx: number): string =>
  `${webhook}-${formatPosition({ position, idx })}`

/** The event as JSON text as templates see it: the default body, and other facts of the change. */
export const templateContext = ({
  body,
  objectType,
  request,
  message = ""
}: Pick<Delivery, "body" | "objectType" | "request" | "message">): string => {
  const more = JSON.stringify({ object_type: bareType(objectType), request: request ?? null, message })
  return `${body.slice(0, -1)},${more.slice(1)}`
}

/** The event as a delivery to the webhook that was not attempted yet. */
export const deliveryOf = (event: Event, webhook: number, body: DeliveryBody): Delivery => {
  const position = `${event.position}`
  const request = requestOf(event)
  return {
    id: deliveryId(webhook, position, event.idx),
    webhook,
    position,
    idx: event.idx,
    event: event.kind,
    objectType: event.objectType,
    objectId: event.objectId,
    requestId: event.requestId,
    time: event.timestamp,
    ...(request !== undefined && { request }),
    ...(event.message !== undefined && { message: event.message }),
    ...(event.request?.traceparent !== undefined && { traceparent: event.request.traceparent }),
    ...(event.request?.chain !== undefined && { chain: event.request.chain }),
    attempts: 0,
    spent: 0,
    firstAttempt: 0,
    ...body
  }
}
