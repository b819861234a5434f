/**
 * The latest changes for which a webhook did not fire, by the clause that failed, and the closest miss. Evaluated on demand
 * from the change log, for the webhook as it was at each of the changes.
 */
import { Clock, Effect } from "effect"
import { listenedTypes } from "../../match/WebhookIndex.ts"
import { positionOf } from "../../event/Position.ts"
import { type Verdict, distanceOf } from "../../match/Verdict.ts"
import type { WebhookRow } from "../../match/WebhookIndex.ts"
import { definedAt, timelineOf } from "../../match/WebhooksAt.ts"
import { WorkLimit, verdictsOf } from "./Evaluating.ts"
import { readableOf } from "./ExplainedEvent.ts"
import { type LatestEvent, type SkippedChange, latestEvents, skippedChange } from "./LatestEvents.ts"

/** Most changes that are evaluated, and how many are evaluated by default. */
export const askedMax = 1000
export const askedUsually = 500

/** Most changes that a group names. */
const namedMax = 5

interface Group {
  readonly gate: string
  /** The requirement of the webhook that was not met. */
  readonly cause: string
  readonly outcome: "skipped" | "undecided"
  readonly count: number
  /** Times of the newest and the oldest of them. */
  readonly last: string
  readonly first: string
  /** The newest ones. */
  readonly examples: ReadonlyArray<SkippedChange>
}

export interface Skips {
  /** How it is, in a sentence. */
  readonly sentence: string
  /** Changes of its types that were evaluated, while it existed. */
  readonly seen: number
  readonly fired: number
  readonly skipped: number
  /** Whether there are older changes that were not evaluated. */
  readonly partial: boolean
  /** Time of the oldest change that was evaluated. */
  readonly since: string | null
  /** The largest first. */
  readonly groups: ReadonlyArray<Group>
  /** The change of which the fewest clauses were in the way. */
  readonly closest: SkippedChange | null
  /** Time since which it is enabled; null where it is not, or where the time is unknown. */
  readonly enabled_since: string | null
}

export const skippedBy = Effect.fnUntraced(function* (webhook: WebhookRow, limit: number) {
  const timeline = yield* timelineOf(webhook.id, webhook)
  const events = yield* latestEvents({ types: listenedTypes(webhook), limit })
  const readable = yield* readableOf(events)
  const definitions = events.map((event) => definedAt(timeline, positionOf(event)))
  const work = new WorkLimit()
  const judged = yield* verdictsOf(
    readable.map((each, at) => ({ readable: each, webhook: webhook.id, fields: definitions[at]!.fields })),
    work
  )
  const asked = events.flatMap((event, at) => {
    const found = judged[at]
    return found === undefined ? [] : [{ event, ...found, at }]
  })
  const misses = asked.filter(({ verdict }) => verdict.outcome !== "fired")
  let closest: { readonly skip: SkippedChange; readonly distance: number } | undefined
  for (const { event, verdict, read, at } of misses) {
    if (verdict.gate !== "condition" || work.isSpent) continue
    const distance = work.run(() => distanceOf(definitions[at]!.fields!.conditions, read))
    if (distance === undefined || distance >= (closest?.distance ?? Number.POSITIVE_INFINITY)) continue
    closest = { skip: skippedChange(event, verdict.reason), distance }
  }
  const found = {
    seen: asked.length,
    fired: asked.length - misses.length,
    skipped: misses.length,
    partial: events.length === limit || work.isSpent,
    since: asked.at(-1)?.event.event_time ?? null,
    groups: groupsOf(misses),
    closest: closest?.skip ?? null,
    enabled_since: enabledSince(timeline)
  }
  const sentence = sentenceOf(found, webhook.enabled === true, yield* Clock.currentTimeMillis)
  return { sentence, ...found } satisfies Skips
})

const sentenceOf = (found: Omit<Skips, "sentence">, isEnabled: boolean, nowMillis: number): string => {
  const { seen, fired, groups, closest, enabled_since: since } = found
  const changes = (count: number) => (count === 1 ? "1 change" : `${count.toLocaleString("en")} changes`)
  if (fired > 0) {
    const most =
      groups[0] === undefined
        ? ""
        : ` It skipped ${found.skipped.toLocaleString("en")}, most of them for this reason: ${groups[0].cause}.`
    return `It fired for ${fired.toLocaleString("en")} of the latest ${changes(seen)} of its types.${most}`
  }
  const begin = !isEnabled ? "Disabled" : since === null ? "Enabled" : `Enabled ${agoOf(nowMillis - Date.parse(since))}`
  if (seen === 0) return `${begin}; no change of its types yet.`
  const miss = closest === null ? "" : `, closest miss: ${closest.reason}`
  return `${begin}; no matching change yet. ${capital(changes(seen))} seen${miss}.`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const minuteMillis = 60_000

/** `2 h ago` */
const agoOf = (millis: number): string => {
  const minutes = Math.max(0, Math.floor(millis / minuteMillis))
  if (minutes < 1) return "just now"
  return minutes < 60
    ? `${minutes} min ago`
    : minutes < 48 * 60
      ? `${Math.floor(minutes / 60)} h ago`
      : `${Math.floor(minutes / 1440)} days ago`
}

const groupsOf = (misses: ReadonlyArray<{ readonly event: LatestEvent; readonly verdict: Verdict }>) =>
  [...Map.groupBy(misses, ({ verdict: { gate, cause } }) => `${gate} ${cause}`).values()]
    .map((own): Group => {
      const { gate, cause, outcome } = own[0]!.verdict
      return {
        gate: gate!,
        cause,
        outcome: outcome === "undecided" ? "undecided" : "skipped",
        count: own.length,
        last: own[0]!.event.event_time,
        first: own.at(-1)!.event.event_time,
        examples: own.slice(0, namedMax).map(({ event, verdict }) => skippedChange(event, verdict.reason))
      }
    })
    .toSorted((one, other) => other.count - one.count)

type Timeline = Effect.Success<ReturnType<typeof timelineOf>>

const enabledSince = (timeline: Timeline): string | null => {
  const until = timeline.findIndex(({ fields }) => fields?.enabled !== true)
  return (until === -1 ? timeline.at(-1) : timeline[until - 1])?.since ?? null
}
