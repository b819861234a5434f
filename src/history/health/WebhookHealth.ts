/** How a webhook is, in a word and a sentence. Pure. */
import type { RowOf } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { type OpenBreaker, byBreaker } from "./Held.ts"
import type { Traffic } from "./Traffic.ts"

/** The choices of the field `health` of webhooks: the API, the console and the metrics use no other words. */
export type HealthState = Exclude<RowOf<typeof Webhook>["health"], "" | null>

export const healthStates = Object.keys(
  objectType<typeof Webhook>("extras.webhook").fields.health.choices ?? {}
) as ReadonlyArray<HealthState>

export interface HealthFacts {
  /** As it is stored (Turn.ts). */
  readonly health: HealthState
  /** Since when, ISO 8601; null if it never turned. */
  readonly since: string | null
  readonly paused: boolean
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
  /** Whether it needs attention: it is failing, or still healthy and has failed attempts or an open breaker. */
  readonly needsLook: boolean
  readonly sentence: string
}

/** Share of failed attempts of the last hour from which a healthy webhook is in trouble. */
const troubledShare = 0.1

/** Also in trouble: nothing is sent while the circuit breaker is open. */
const isTroubled = ({ breaker, hour }: HealthFacts): boolean =>
  breaker !== undefined || hour.attempts - hour.delivered > troubledShare * hour.attempts

export const webhookHealth = (known: HealthFacts): WebhookHealth => {
  const { health, paused } = known
  const needsLook = !paused && (health === "failing" || (health === "healthy" && isTroubled(known)))
  return { state: health, needsLook, sentence: sentenceOf(known, needsLook) }
}

const sentenceOf = (known: HealthFacts, needsLook: boolean): string => {
  const { health, since, paused, disabledNote, day, waiting } = known
  if (health === "stopped") {
    const why = disabledNote === "" ? "it is disabled" : withoutStop(disabledNote)
    return `Stopped: ${why}. Nothing is queued for it.`
  }
  if (paused) return `Paused: ${waitingWords(waiting)}.`
  if (health === "failing") {
    return `Failing${since === null ? "" : ` since ${since.slice(0, 16).replace("T", " ")} UTC`}: ${troubles(known)}`
  }
  if (needsLook) return `Healthy, but ${troubles(known)}`
  if (day.attempts === 0) {
    return `Healthy: nothing was sent in 24 hours${waiting === 0 ? "" : `; ${waitingWords(waiting)}`}.`
  }
  return `Healthy: ${percent(day.delivered, day.attempts)} of ${counted(day.attempts, "attempt")} in 24 hours succeeded${half(day)}.`
}

const troubles = ({ breaker, hour, waiting }: HealthFacts): string => {
  const waits = waitingWords(waiting)
  if (breaker !== undefined) {
    return waiting === 0 ? `sending is held ${byBreaker(breaker)}.` : `${waits}, held ${byBreaker(breaker)}.`
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
