/** How a webhook is, in a word and a sentence. Pure. */
import { type OpenBreaker, byBreaker } from "./Held.ts"
import type { Traffic } from "./Traffic.ts"

/**
 * - `failing`: as it is stored (Turn.ts).
 * - `paused`, `disabled`: somebody asked for it, or the receiver did.
 * - `degraded`: stored as healthy, and of what was sent in the last hour much was not taken, or its circuit breaker is
 *   open: nothing is sent until the receiver answers a probe.
 * - `healthy`: what was sent lately was taken.
 * - `silent`: nothing was sent in the last 24 hours.
 */
export const healthStates = ["healthy", "degraded", "failing", "paused", "disabled", "silent"] as const
export type HealthState = (typeof healthStates)[number]

export interface Known {
  readonly enabled: boolean
  readonly paused: boolean
  /** Since when it is stored as failing, ISO 8601; undefined if it is not. */
  readonly failingSince: string | undefined
  /** Why it disabled itself; "" if it did not. */
  readonly disabledNote: string
  readonly breaker: OpenBreaker | undefined
  readonly day: Traffic
  readonly hour: Traffic
  /** Deliveries in its stream, and those that wait for another attempt. */
  readonly waiting: number
}

export interface WebhookHealth {
  readonly state: HealthState
  readonly sentence: string
}

/** Whether somebody has to look at a webhook in this state. */
export const needsLook = (state: HealthState): boolean => state === "failing" || state === "degraded"

/** Share of attempts of the last hour that were not taken, from which a webhook is degraded. */
const degradedShare = 0.1

export const webhookHealth = (known: Known): WebhookHealth => {
  const state = stateOf(known)
  return { state, sentence: sentences[state](known) }
}

const stateOf = ({ enabled, paused, failingSince, breaker, hour, day }: Known): HealthState => {
  if (!enabled) return "disabled"
  if (paused) return "paused"
  if (failingSince !== undefined) return "failing"
  if (breaker !== undefined || hour.attempts - hour.delivered > degradedShare * hour.attempts) return "degraded"
  return day.attempts === 0 ? "silent" : "healthy"
}

const sentences: Readonly<Record<HealthState, (known: Known) => string>> = {
  healthy: ({ day }) =>
    `Healthy: ${percent(day.delivered, day.attempts)} of ${counted(day.attempts, "attempt")} in 24 hours succeeded${half(day)}.`,
  degraded: (known) => `Degraded: ${troubles(known)}`,
  failing: (known) => `Failing since ${known.failingSince!.slice(0, 16).replace("T", " ")} UTC: ${troubles(known)}`,
  paused: ({ waiting }) => `Paused: ${waitingWords(waiting)}.`,
  disabled: ({ disabledNote }) =>
    `Disabled${disabledNote === "" ? "" : `: ${withoutStop(disabledNote)}`}. Nothing is queued for it.`,
  silent: ({ waiting }) =>
    waiting === 0 ? "Silent: nothing was sent in 24 hours." : `Nothing was sent in 24 hours; ${waitingWords(waiting)}.`
}

const troubles = ({ breaker, hour, waiting }: Known): string => {
  const waits = waitingWords(waiting)
  if (breaker !== undefined) {
    return waiting === 0
      ? `nothing waits; sending is held ${byBreaker(breaker)}.`
      : `${waits}, held ${byBreaker(breaker)}.`
  }
  const failed = hour.attempts - hour.delivered
  return failed === 0
    ? `${waits}.`
    : `${counted(failed, "attempt")} of ${number(hour.attempts)} in the last hour failed; ${waits}.`
}

const half = ({ p95Millis }: Traffic): string =>
  p95Millis === undefined ? "" : `, 95 % of them within ${duration(p95Millis)}`

const waitingWords = (waiting: number): string =>
  waiting === 0 ? "nothing waits" : waiting === 1 ? "1 delivery waits" : `${number(waiting)} deliveries wait`

const counted = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? "" : "s"}`

const number = (value: number): string => value.toLocaleString("en")

const withoutStop = (text: string): string => text.replace(/\.$/, "")

/** Never 100 % where something failed. */
export const percent = (part: number, whole: number): string => {
  if (whole === 0) return "—"
  const share = (100 * part) / whole
  return `${share === 100 ? "100" : (Math.floor(share * 100) / 100).toFixed(2)} %`
}

/** 212.4 -> `212 ms`. */
const duration = (millis: number): string => {
  if (millis < 1) return "1 ms"
  if (millis < 1000) return `${Math.round(millis)} ms`
  return millis < 60_000 ? `${(millis / 1000).toFixed(1)} s` : `${Math.round(millis / 60_000)} min`
}
