/** The effect of a retry or a discard of many deliveries: how many of which webhooks, and the deliveries left out. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Query } from "../inventory/derive/filter/Filter.ts"
import type { Where } from "../inventory/derive/filter/Where.ts"
import { countUnattempted, sumOf } from "../history/inspect/Unattempted.ts"

export type BulkAction = "retry" | "discard"

/** Outcomes that an action is meant for where the filter names none: nobody retries successes by accident. */
const meant: Readonly<Record<BulkAction, ReadonlyArray<string>>> = {
  retry: ["queued", "retrying", "failed"],
  discard: ["queued", "retrying", "failed"]
}

/** The query with the outcomes that the action is meant for, unless it names some. */
export const withOutcomes = (action: BulkAction, query: Query): Query =>
  namesOutcomes(query) ? query : [...query, ...meant[action].map((status) => ["status", status] as const)]

const namesOutcomes = (query: Query): boolean => query.some(([name]) => /^status(__|$)/.test(name))

/** The results of a trial of a retry (RenderAgain.ts). */
export const verdicts = ["identical", "different", "failing", "deleted", "expired", "hidden"] as const

/** Deliveries of one webhook. */
export interface Share {
  readonly webhook: number
  /** Null if the webhook was deleted. */
  readonly name: string | null
  readonly count: number
  /** ISO 8601. */
  readonly oldest: string
  readonly ordering: string | null
  /** Attempts per second. */
  readonly rate_limit: number | null
  readonly enabled: boolean | null
  readonly paused: boolean | null
}

export interface Plan {
  readonly total: number
  /** How many of them wait for their first attempt. */
  readonly unattempted: number
  /** Whether more of these wait than were counted. */
  readonly isMinimum: boolean
  readonly oldest: string | null
  readonly webhooks: ReadonlyArray<Share>
  /** Matching deliveries that the action leaves as they are, by outcome. */
  readonly leftOut: ReadonlyArray<{ readonly status: string; readonly count: number }>
}

/** Most webhooks that are listed, the ones with most deliveries first. */
const sharesMax = 1000

interface PlanRow extends Share {
  readonly status: string
}

/** `where`: the condition of the query without the outcomes that the action adds. */
export const planOf = Effect.fnUntraced(function* (action: BulkAction, query: Query, where: Where) {
  const sql = yield* SqlClient.SqlClient
  const waiting = yield* countUnattempted({ query, where })
  const at = where.parameters.length
  const { unprepared } = sql.unsafe<PlanRow>(
    `select g.webhook::float8 as webhook, g.status, g.count::float8 as count, to_json(g.oldest)#>>'{}' as oldest,
            w.name, w.ordering, w.rate_limit::float8 as rate_limit, w.enabled, w.paused
       from (select webhook, status, sum(count) as count, min(oldest) as oldest
               from (select t.webhook_id as webhook, t.status, count(*) as count, min(t.time) as oldest
                       from extras_delivery t where ${where.sql} group by 1, 2
                     union all
                     select u.webhook, 'queued', u.count, u.oldest
                       from jsonb_to_recordset($${at + 1}::text::jsonb)
                              as u (webhook bigint, count bigint, oldest timestamptz)) each
              group by 1, 2) g
       left join extras_webhook w on w.id = g.webhook`,
    [...where.parameters, JSON.stringify(Array.from(waiting.counts, ([webhook, each]) => ({ webhook, ...each })))]
  )
  const rows = yield* unprepared
  // A delivery that was discarded or has succeeded cannot be discarded, even by name.
  const isMeant = ({ status }: PlanRow) =>
    (namesOutcomes(query) && action === "retry") || meant[action].includes(status)
  const acted = rows.filter(isMeant)
  const webhooks = [...Map.groupBy(acted, ({ webhook }) => webhook).values()]
    .map((each): Share => {
      const { status: _, ...first } = each[0]!
      return { ...first, count: sum(each), oldest: each.map(({ oldest }) => oldest).toSorted()[0]! }
    })
    .sort((a, b) => b.count - a.count)
  const leftOut = Map.groupBy(
    rows.filter((row) => !isMeant(row)),
    ({ status }) => status
  )
  return {
    total: sum(acted),
    unattempted: sumOf(waiting),
    isMinimum: waiting.isMinimum,
    oldest: webhooks.map(({ oldest }) => oldest).toSorted()[0] ?? null,
    webhooks: webhooks.slice(0, sharesMax),
    leftOut: [...leftOut].map(([status, each]) => ({ status, count: sum(each) }))
  } satisfies Plan
})

const sum = (some: ReadonlyArray<{ readonly count: number }>): number =>
  some.reduce((total, { count }) => total + count, 0)
