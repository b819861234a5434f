/**
 * Why a webhook fired for an event or did not: the first gate that the event did not pass, and the explanation of the
 * condition. Pure. Whether it fired is decided by WebhookIndex.ts; a verdict agrees with it.
 */
import { Unreadable } from "../inventory/Unreadable.ts"
import type { Kind } from "../event/Kind.ts"
import { bareType } from "../event/SourceType.ts"
import { affordable, bounded, guaranteed } from "./Budget.ts"
import { clauseText, failingClauses, missText } from "./ClauseWords.ts"
import { type Condition, isEmpty, parse } from "./Condition.ts"
import { clauseDecision } from "./Decision.ts"
import { explain, explainTo, tooCostly, type Explanation } from "./Explanation.ts"
import { turnedIn } from "./OwnHealth.ts"
import { type MatchFields, flags, listenedTypes } from "./WebhookIndex.ts"
import type { Subject } from "./Subject.ts"

/** The gates of a webhook in the order in which an event passes them. */
export const gates = ["type", "kind", "enabled", "own", "scope", "condition"] as const
type Gate = (typeof gates)[number]

export interface Verdict {
  /** `undecided`: its condition could not be evaluated, so it did not fire. */
  readonly outcome: "fired" | "skipped" | "undecided"
  /** The gate that the event did not pass; absent where the webhook fired. */
  readonly gate?: Gate
  /** A sentence; "" where it fired. */
  readonly reason: string
  /** The requirement of the webhook that was not met, the same for every event that fails in the same way. */
  readonly cause: string
  /** Absent where there is no condition, or another gate decided. */
  readonly explanation?: Explanation
}

interface Decision {
  /** Id of the webhook; absent for one that is not stored. */
  readonly webhook?: number | undefined
  /** Whether it fired; absent where the condition alone decides. */
  readonly fired?: boolean
  /** Whether the user of its scope may view the event; it counts for webhooks with a scope only. */
  readonly isSeen?: boolean
  /** The event as the webhook's condition sees it, if its scope shows less. */
  readonly scoped?: Subject
  /** The event as the reader of the verdict may see it, if that is less. */
  readonly shown?: Subject | undefined
}

export const verdictOf = (webhook: MatchFields, subject: Subject, decided: Decision = {}): Verdict => {
  const { enabled, conditions } = webhook
  if (!listenedTypes(webhook).includes(subject.type)) {
    return stopped("type", `It does not listen to ${bareType(subject.type)}.`, "another object type")
  }
  if (webhook[flags[subject.kind]] !== true) {
    const kinds = kindsOf(webhook).join(" and ") || "nothing"
    return stopped("kind", `It fires for what is ${kinds}, and this was ${subject.kind}.`, `not for ${subject.kind}`)
  }
  if (enabled !== true) return stopped("enabled", "It was disabled.", "disabled")
  if (decided.webhook !== undefined && decided.webhook === turnedIn(subject)) {
    return stopped("own", "No webhook fires for its own health.", "its own health")
  }
  const isScoped = webhook.scope_user !== null && webhook.scope_user !== undefined
  if (isScoped && decided.isSeen === false) {
    return stopped("scope", "The user of its scope may not view the object.", "outside of its scope")
  }
  return ofCondition(conditions, decided.scoped ?? subject, decided)
}

const stopped = (gate: Gate, reason: string, cause: string): Verdict => ({ outcome: "skipped", gate, reason, cause })

/** The kinds of changes that a webhook subscribes to. */
const kindsOf = (webhook: MatchFields): ReadonlyArray<Kind> =>
  (Object.keys(flags) as ReadonlyArray<Kind>).filter((kind) => webhook[flags[kind]] === true)

const undecided = (reason: string, explanation?: Explanation): Verdict => ({
  ...{ outcome: "undecided", gate: "condition", reason, cause: reason },
  ...(explanation !== undefined && { explanation })
})

/** Many events are evaluated with the same document. */
const known = new WeakMap<object, Condition | string>()

/** The condition of a document that is not empty; the fault of an invalid one. */
const parsed = (document: unknown): Condition | string => {
  const key = typeof document === "object" && document !== null ? document : undefined
  const found = key && known.get(key)
  if (found !== undefined) return found
  const condition = parseSafely(document)
  if (key !== undefined) known.set(key, condition)
  return condition
}

const parseSafely = (document: unknown): Condition | string => {
  try {
    return parse(document)
  } catch (error) {
    return (error as Error).message
  }
}

const ofCondition = (document: unknown, subject: Subject, { fired, shown }: Decision): Verdict => {
  const isFired = fired ?? true
  if (document instanceof Unreadable) return undecided(document.reason)
  if (isEmpty(document)) {
    return isFired ? { outcome: "fired", reason: "", cause: "" } : undecided("There is no record of a delivery.")
  }
  const condition = parsed(document)
  if (typeof condition === "string") return undecided(`Its condition is not valid: ${condition}`)
  const whole = explain(condition, subject)
  const explanation = shown === undefined ? whole : explainTo(condition, subject, shown)
  if (fired === true || (whole.outcome === "holds" && isFired)) {
    return { outcome: "fired", reason: "", cause: "", explanation }
  }
  // It holds, but its cost was more than its share of the work for that batch of events.
  if (explanation.outcome === "holds") return undecided(tooCostly, explanation)
  const failing = failingClauses(explanation)
  const reason = failing.map(missText).join("; ") || "It has no alternatives, so it never holds."
  if (explanation.outcome === "invalid") return undecided(reason, explanation)
  const cause = failing.map(clauseText).join(" or ") || "no alternatives"
  return { outcome: "skipped", gate: "condition", reason, cause, explanation }
}

/** How many clauses would have to be otherwise for the condition to hold; undefined if there is none or an invalid one. */
export const distanceOf = (document: unknown, subject: Subject): number | undefined => {
  if (document instanceof Unreadable || isEmpty(document)) return undefined
  const condition = parsed(document)
  return typeof condition === "string" ? undefined : bounded(() => distance(condition, subject), guaranteed)
}

const distance = (condition: Condition, subject: Subject): number => {
  if (condition.kind === "clause") return affordable(() => clauseDecision(condition)(subject)) === true ? 0 : 1
  const each = condition.items.map((item) => distance(item, subject))
  return condition.kind === "all" ? each.reduce((sum, one) => sum + one, 0) : Math.min(...each, each.length + 1)
}
