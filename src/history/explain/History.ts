/**
 * How often a webhook would have fired in the last 24 hours with other conditions, object types or kinds, and for which
 * changes that differs. Conditions see the events as the reader may see them, so that no question reveals more.
 */
import type { Action } from "../../event/Kind.ts"
import { Clock, Effect } from "effect"
import type { MatchFields } from "../../match/WebhookIndex.ts"
import { WorkLimit, verdictsOf } from "./Evaluating.ts"
import { readableOf } from "./ExplainedEvent.ts"
import { type LatestEvent, latestEvents } from "./LatestEvents.ts"

/** The time that is evaluated, most changes that are read, changes of one page, and time for reading them, milliseconds. */
const spanMillis = 24 * 3600 * 1000
const changesMax = 5000
const pageSize = 500
const readingMillisMax = 5000

/** Most changes that are named on each side. */
const namedMax = 20

interface ChangeName {
  readonly object_change: number
  readonly time: string
  readonly action: Action
  readonly object_type: string
  readonly object_id: number
  readonly display: string
  /** Why it does not fire, with the definition by which it does not. */
  readonly reason: string
}

export interface History {
  readonly since: string
  /** Changes that were read, and whether there are more. */
  readonly changes: number
  readonly partial: boolean
  /** How often it would have fired; `saved`: as the webhook is stored, null without one. */
  readonly fired: number
  readonly saved: number | null
  /** Changes for which it fires only as in the request, and only as stored: how many, and the newest ones. */
  readonly gained: { readonly count: number; readonly changes: ReadonlyArray<ChangeName> }
  readonly lost: { readonly count: number; readonly changes: ReadonlyArray<ChangeName> }
}

export const historyOf = Effect.fnUntraced(function* (
  wanted: MatchFields,
  saved: (MatchFields & { readonly id: number }) | undefined
) {
  const now = yield* Clock.currentTimeMillis
  const since = new Date(now - spanMillis).toISOString()
  const types = [...new Set([...wanted.content_types, ...(saved?.content_types ?? [])])]
  const work = new WorkLimit()
  const counts = { changes: 0, fired: 0, saved: 0 }
  const gained: Array<ChangeName> = []
  const lost: Array<ChangeName> = []
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
      if (fires) gained.push(named(event, other!.reason))
      else lost.push(named(event, one.reason))
    }
  }
  const side = (all: ReadonlyArray<ChangeName>) => ({ count: all.length, changes: all.slice(0, namedMax) })
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

const named = (event: LatestEvent, reason: string): ChangeName => ({
  object_change: Number(event.change_id),
  time: event.event_time,
  action: event.action,
  object_type: event.object_type,
  object_id: Number(event.object_id),
  display: event.display,
  reason
})
