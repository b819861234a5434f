/**
 * The circuit breaker of one webhook in one process: whether attempts are made at all.
 *
 * While it is closed, attempts are made. It opens when most of the latest attempts failed, or until a time that the
 * receiver names. While it is open nothing is read: deliveries wait in their stream and spend no attempts. Then a
 * single attempt probes: success closes the breaker, failure opens it for twice as long.
 */
import type { PaceValues } from "../../eventloop/Pace.ts"
import type { Failure } from "../../event/Outcome.ts"

export interface Breaker {
  /** Share of failures among the latest attempts, from 0 to 1; an older attempt counts less. */
  readonly failing: number
  /** How often it opened without a success in between. */
  readonly openings: number
  /** Milliseconds of a clock that only rises; undefined when it is closed. */
  readonly until: number | undefined
}

export const closedBreaker: Breaker = { failing: 0, openings: 0, until: undefined }

/** Weight of the latest attempt in the share, and of one that met an overloaded receiver. */
const weight = 0.1
const tooMuchWeight = 0.3

/**
 * Share of failures above which it opens: after 16 failures in a row, or when for a while 4 of 5 fail; after 5 attempts
 * that met an overloaded receiver, or when every other one does.
 */
const failingMax = 0.8

/** Share below which the failures are forgotten. */
const failingMin = 0.01

/** Failures that say nothing about the receiver. */
const ours: ReadonlySet<Failure["reason"]> = new Set([
  "Render",
  "Overrun",
  "Unrendered",
  "Expired",
  "Oversize",
  "Loop",
  "CaCertificate",
  "ClientCertificate",
  "Declined"
])

/**
 * The breaker after an attempt; `failure` is undefined when it succeeded. `isUrgent`: the attempt did not wait for the
 * breaker, and counts as a probe.
 */
export const afterAttempt = (
  breaker: Breaker,
  now: number,
  failure: Failure | undefined,
  { openMinMillis, openMaxMillis }: PaceValues["breaker"],
  isUrgent = false
): Breaker => {
  if (failure === undefined) return afterSuccess(breaker)
  if (ours.has(failure.reason)) return breaker
  const asked = Math.min(failure.retryAfterMillis ?? 0, openMaxMillis)
  const failing = 1 - (1 - breaker.failing) * (1 - (failure.isTooMuch === true ? tooMuchWeight : weight))
  const isProbe = breaker.until !== undefined && (isUrgent || now >= breaker.until)
  const opens = isProbe || (breaker.until === undefined && failing > failingMax)
  const pause = opens ? Math.min(openMinMillis * 2 ** breaker.openings, openMaxMillis) : 0
  const until = Math.max(breaker.until ?? 0, now + Math.max(pause, asked))
  return {
    failing,
    openings: breaker.openings + (opens ? 1 : 0),
    until: opens || asked > 0 ? until : breaker.until
  }
}

/** One success closes it; while it is closed, a success weighs as much as a failure. */
const afterSuccess = ({ failing, until }: Breaker): Breaker =>
  until === undefined && failing > failingMin ? { ...closedBreaker, failing: failing * (1 - weight) } : closedBreaker

/** How many attempts may begin, of `max` at the same time. */
export const roomOf = (breaker: Breaker, now: number, inFlight: number, max: number): number => {
  if (breaker.until === undefined) return Math.max(max - inFlight, 0)
  return now >= breaker.until && inFlight === 0 ? 1 : 0
}
