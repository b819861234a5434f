/** An object as the API of a source gave it, or the reason why it did not. */

export interface ObjectName {
  /** As the source names it: `dcim.site`. */
  readonly type: string
  /** Decimal. */
  readonly objectId: string
}

/**
 * Why there is no object. No message has the token, or a part of a body.
 *
 * - `NoEndpoint`: the API has no endpoint for objects of the type, or none that is found.
 * - `NotFound`: no such object, or the token may not view it.
 * - `Timeout`: no complete answer before the deadline.
 * - `Refused`: no connection, or a broken one.
 * - `Forbidden`: the API refuses the token (401, 403), or the token cannot be sent.
 * - `Blocked`: the target policy refuses the address; nothing was sent.
 * - `Redirected`: the answer names another address, to which the token is not sent.
 * - `TooLarge`: the answer, the object or the batch has too many bytes.
 * - `Malformed`: the answer is no JSON, is nested too deep, or is another object.
 * - `Status`: another status than 200.
 * - `Busy`: the API answered 429 or 503.
 * - `BackOff`: nothing was sent, because the last requests failed.
 */
export type AbsentReason =
  | "NoEndpoint"
  | "NotFound"
  | "Timeout"
  | "Refused"
  | "Forbidden"
  | "Blocked"
  | "Redirected"
  | "TooLarge"
  | "Malformed"
  | "Status"
  | "Busy"
  | "BackOff"

export interface AbsentObject {
  readonly _tag: "Absent"
  readonly reason: AbsentReason
  readonly message: string
}

export interface FoundObject {
  readonly _tag: "Found"
  /** The object as NetBox sent it: compact JSON with all digits of its numbers. */
  readonly json: string
  /** `last_updated` of the object; undefined where it has none. */
  readonly lastUpdated: string | undefined
}

export type FetchedObject = FoundObject | AbsentObject

export const absent = (reason: AbsentReason, message: string): AbsentObject => ({ _tag: "Absent", reason, message })
