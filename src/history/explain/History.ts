/**
 * How often a webhook would have fired in the last 24 hours with other conditions, object types or kinds, and for which
 * changes that differs. Conditions see the events as the reader may see them, so that no question reveals more.
 */
import { Clock, Effect } from "effect"
import { listenedTypes } from "../../match/WebhookIndex.ts"
import type { MatchFields } from "../../match/WebhookIndex.ts"
import { WorkLimit, verdictsOf } from "./Evaluating.ts"
import { readableOf } from "./ExplainedEvent.ts"
import { type LatestEvent, type SkippedChange, latestEvents, skippedChange } from "./LatestEvents.ts"

/** The time that is evaluated, most changes that are read, changes of one page, and time for reading them, milliseconds. */
const spanMillis = 24 * 3600 * 1000
const changesMax = 5000
const pageSize = 500
const readingMillisMax = 5000

/** Most changes that are named on each side. */
const namedMax = 20

export interface History {
  readonly since: string
  /** Changes that were read, and whether there are more. */
  readonly changes: number
  readonly partial: boolean
  /** How often it would have fired; `saved`: as the webhook is stored, null without one. */
  readonly fired: number
  readonly saved: number | null
  /**
   * Changes for which it fires only as in the request, and only as stored: how many, and the newest ones. The reason is
   * that of the definition by which it does not fire.
   */
  readonly gained: { readonly count: number; readonly changes: ReadonlyArray<SkippedChange> }
  readonly lost: { readonly count: number; readonly changes: ReadonlyArray<SkippedChange> }
}

export const historyOf = Effect.fnUntraced(function* (
  wanted: MatchFields,
  saved: (MatchFields & { readonly id: number }) | undefined
) {
  const now = yield* Clock.currentTimeMillis
  const since = new Date(now - spanMillis).toISOString()
  const types = [...new Set([...listenedTypes(wanted), ...(saved === undefined ? [] : listenedTypes(saved))])]
  const work = new WorkLimit()
  const counts = { changes: 0, fired: 0, saved: 0 }
  const gained: Array<SkippedChange> = []
  const lost: Array<SkippedChange> = []
  let last: LatestEvent | undefined
  let isPartial = false
  while (true) {
    const room = Math.min(pageSize, changesMax - counts.changes)
    isPartial = room === 0 || work.isSpent || (yield* Clock.currentTimeMillis) - now > readingMillisMax
    if (isPartial) break
    const page = yield* latestEvents({ types, since, after: last, limit: room })
    if (page.length === 0) break
    last = page.at(-1)!
    const readable = yield* readableOf(page)
    const ask = (fields: MatchFields | undefined) =>
      verdictsOf(
        readable.map((each) => ({ readable: each, fields, webhook: saved?.id, isForReader: true })),
        work
      )
    const [fresh, stored] = [yield* ask(wanted), yield* ask(saved)]
    for (const [at, event] of page.entries()) {
      const [one, other] = [fresh[at]?.verdict, stored[at]?.verdict]
      if (one === undefined || (saved !== undefined && other === undefined)) continue
      counts.changes += 1
      const [fires, fired] = [one.outcome === "fired", other?.outcome === "fired"]
      counts.fired += Number(fires)
      counts.saved += Number(fired)
      if (saved === undefined || fires === fired) continue
      if (fires) gained.push(skippedChange(event, other!.reason))
      else lost.push(skippedChange(event, one.reason))
    }
  }
  const side = (all: ReadonlyArray<SkippedChange>) => ({ count: all.length, changes: all.slice(0, namedMax) })
  return {
    since,
    changes: counts.changes,
    partial: isPartial,
    fired: counts.fired,
    saved: saved === undefined ? null : counts.saved,
    gained: side(gained),
    lost: side(lost)
  } satisfies History
})
