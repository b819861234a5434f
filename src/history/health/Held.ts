/** The reason why a delivery is not attempted although it is due, in words. Pure. */

/** An open circuit breaker. */
export interface OpenBreaker {
  /** ISO 8601. */
  readonly opened: string
  readonly until: string
  readonly reason: string
}

/** The state of a delivery's webhook and of the service. */
export interface Surroundings {
  readonly webhook: "active" | "paused" | "disabled" | "deleted"
  readonly breaker: OpenBreaker | null
  /** Whether all sending is paused. */
  readonly isSendingPaused: boolean
}

export interface HoldReason {
  readonly by: "breaker" | "pause" | "disabling" | "sending"
  /** ISO 8601; null where somebody has to act. */
  readonly until: string | null
  readonly sentence: string
}

/** Undefined if nothing blocks its deliveries. */
export const heldBy = ({ webhook, breaker, isSendingPaused }: Surroundings): HoldReason | undefined => {
  const hold = (by: HoldReason["by"], sentence: string): HoldReason => ({ by, until: null, sentence })
  if (webhook === "disabled") return hold("disabling", "Held until the webhook is enabled.")
  if (webhook === "paused") return hold("pause", "Held until the webhook is resumed.")
  if (webhook !== "active") return undefined
  if (isSendingPaused) return hold("sending", "Held until all sending is resumed.")
  if (breaker === null) return undefined
  return { by: "breaker", until: breaker.until, sentence: `Held ${byBreaker(breaker)}.` }
}

/** `by the circuit breaker until 12:20 UTC, because the receiver answered 500`. */
export const byBreaker = ({ until, reason }: OpenBreaker): string =>
  `by the circuit breaker until ${until.slice(11, 16)} UTC, because ${reason === "" ? "the receiver fails" : inSentence(reason)}`

/** Without a capital that only begins the sentence, and without its stop. */
const inSentence = (text: string): string =>
  text.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())
