/** The answer to an attempt, and the outcome that follows from it. */
import { Data } from "effect"

/**
 * Why an attempt failed. `message` is for the operator.
 *
 * - `Status`: the receiver answered with another status than 2xx.
 * - `Gone`: it answered 410, or `webhook-delivery: disable`: it takes nothing any more.
 * - `Declined`: it answered `webhook-delivery: abort-message`: it does not want this one.
 * - `Timeout`: no complete answer within the webhook's time.
 * - `Refused`, `Reset`, `Dns`, `Tls`: no connection, a broken one, no such name, no trust.
 * - `Blocked`: the target policy refuses the address; nothing was sent.
 * - `Proxy`: our own proxy gave no connection; nothing was sent.
 * - `TooLarge`: headers, or informational answers, without end. `Protocol`: the answer is no HTTP.
 * - `Render`: the webhook's own templates, headers or URL give no request. Sending it again gives none either.
 * - `Overrun`: the webhook's templates ran out of time. The first time a busy machine may be to blame; a delivery that
 *   overruns again fails (`overrunsMax`).
 * - `Unrendered`: the workers that render were stopped or did not start.
 * - `Expired`: the change log no longer has the event, and it was too long for its entry.
 * - `Oversize`: the event is too long to be sent.
 * - `Token`: its token endpoint gave no access token: nothing was sent, or the request was answered with 401.
 * - `Loop`: it was fired by its own deliveries, which changed something here (Chain.ts); nothing was sent.
 * - `CaCertificate`, `ClientCertificate`: the webhook's certificates cannot be used; nothing was sent.
 */
export interface Failure {
  readonly reason:
    | "Status"
    | "Gone"
    | "Declined"
    | "Timeout"
    | "Refused"
    | "Reset"
    | "Dns"
    | "Tls"
    | "Blocked"
    | "Proxy"
    | "TooLarge"
    | "Protocol"
    | "Render"
    | "Overrun"
    | "Unrendered"
    | "Expired"
    | "Oversize"
    | "Token"
    | "Loop"
    | "CaCertificate"
    | "ClientCertificate"
  readonly message: string
  /** The delay that the receiver requests, milliseconds. */
  readonly retryAfterMillis?: number | undefined
  /** The receiver, or a proxy before it, is overloaded: it answered 429, 502, 503 or 504. */
  readonly isTooMuch?: boolean
}

/** No request could be made for the delivery, or none was wanted: the attempt fails before anything is sent. */
export class Unsendable extends Data.TaggedError("Unsendable")<{ readonly failure: Failure }> {}

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The beginning of the body. */
  readonly body: string
}

/** Milliseconds of each step; undefined for a step that did not happen, as on a connection that was open already. */
export interface Phases {
  readonly dns: number | undefined
  readonly connect: number | undefined
  readonly tls: number | undefined
  /** From the request to the first byte of its answer. */
  readonly firstByte: number | undefined
  readonly body: number | undefined
}

/** The end of a request: the receiver's response, or the failure to get one. */
export interface Answer {
  readonly response: Response | undefined
  /** Undefined when the receiver accepted the request. */
  readonly failure: Failure | undefined
  readonly phases: Phases
}

export type Outcome =
  | { readonly kind: "Delivered" }
  | { readonly kind: "Retry"; readonly delayMillis: number; readonly failure: Failure }
  | { readonly kind: "Dead"; readonly failure: Failure }

/**
 * Why Rackwire discarded a delivery by itself. `message` is for the operator.
 *
 * - `Hidden`: it is sent only if a certain user may view the object, and that user may not.
 * - `Superseded`: when its paused webhook was resumed, only the newest event of each object was kept.
 * - `Unwanted`: when its paused webhook was resumed, no event of the pause was kept; or a user discarded it before its
 *   first attempt.
 * - `Deleted`: its webhook was deleted.
 */
export interface DropReason {
  readonly reason: "Hidden" | "Superseded" | "Unwanted" | "Deleted"
  readonly message: string
}

/** The reason for unfinished deliveries of a webhook that was deleted. */
export const deleted = { reason: "Deleted", message: "Its webhook was deleted." } as const satisfies DropReason

/** Failures that another attempt would only repeat. */
const hopeless: ReadonlySet<Failure["reason"]> = new Set(["Gone", "Declined", "Render", "Expired", "Oversize", "Loop"])

/** Attempts in which a delivery's templates may run out of time; after the last of them the delivery fails. */
export const overrunsMax = 2

export const isHopeless = (failure: Failure): boolean => hopeless.has(failure.reason)
