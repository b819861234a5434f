/**
 * Deliveries that wait without an attempt, selected by the filter of many deliveries. The delivery log has no rows of
 * them, so the condition is evaluated for the rows that it would have.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Delivery } from "../../event/Delivery.ts"
import type { Query } from "../../inventory/derive/filter/Filter.ts"
import type { Where } from "../../inventory/derive/filter/Where.ts"
import { Waiting, type WaitingPage } from "./Waiting.ts"
import { allWebhooks } from "../../queue/reconcile/Deleted.ts"

/** Deliveries read at once. */
const pageSize = 500

/** Most waiting deliveries that are read to count those that match: a request waits for the count. */
const countedMax = 5000

/** Whether the filter may select deliveries without an attempt. They count as `queued`, and have no id in the log. */
const mayWait = (query: Query): boolean => {
  const statuses = query.filter(([name]) => name === "status").map(([, value]) => value)
  const hasRow = query.some(([name]) => name === "id" || name === "operation_id")
  return !hasRow && (statuses.length === 0 || statuses.includes("queued"))
}

/** The webhooks that the filter names by id; undefined if it names none. */
const namedIn = (query: Query): ReadonlyArray<number> | undefined => {
  const ids = query.filter(([name]) => name === "webhook_id").map(([, value]) => value)
  return ids.length > 0 && ids.every((id) => /^\d{1,15}$/.test(id)) ? [...new Set(ids)].map(Number) : undefined
}

export interface Selection {
  readonly query: Query
  /** The condition of the query. */
  readonly where: Where
  /** Only events up to this time; undefined for all. */
  readonly until?: string
}

/** The row that a delivery would have. */
const rowOf = ({ id, webhook, event, objectType, objectId, requestId, time, position, idx }: Delivery) => ({
  ...{ delivery_id: id, webhook_id: webhook, status: "queued", event, object_type: objectType, object_id: objectId },
  ...{ request_id: requestId, time, position, idx, attempts: 0, is_urgent: false, reason: "", message: "" }
})

/** The deliveries of a page that match and have no row. */
const matching = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>, { where, until }: Selection) {
  if (deliveries.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const at = where.parameters.length
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select t.delivery_id as id from jsonb_populate_recordset(null::extras_delivery, $${at + 1}::text::jsonb) t
      where (${where.sql}) and t.time <= coalesce($${at + 2}::text::timestamptz, 'infinity')
        and not exists (select from extras_delivery d where d.delivery_id = t.delivery_id and d.time = t.time)`,
    [...where.parameters, JSON.stringify(deliveries.map(rowOf)), until ?? null]
  )
  const ids = new Set(rows.map(({ id }) => id))
  return deliveries.filter(({ id }) => ids.has(id))
})

/**
 * Visits the selected deliveries, a page at a time, also pages of which none is selected. `visit` gets the number of
 * deliveries that were read so far, and returns whether to continue.
 */
export const overUnattempted = Effect.fnUntraced(function* <E, R>(
  selection: Selection,
  visit: (found: ReadonlyArray<Delivery>, read: number) => Effect.Effect<boolean, E, R>
) {
  if (!mayWait(selection.query)) return
  const waiting = yield* Waiting
  const webhooks = yield* waiting.busy(namedIn(selection.query) ?? (yield* allWebhooks))
  for (let after: string | undefined = "", read = 0; after !== undefined && webhooks.length > 0;) {
    const page: WaitingPage = yield* waiting.page({ webhooks, after, count: pageSize })
    read += page.deliveries.length
    const found = yield* matching(
      page.deliveries.map(({ delivery }) => delivery),
      selection
    )
    if (!(yield* visit(found, read))) return
    after = page.next
  }
})

interface UnattemptedCount {
  /** By webhook. */
  readonly counts: ReadonlyMap<number, { readonly count: number; readonly oldest: string }>
  /** Whether more wait than were counted, or Redis gave no answer. */
  readonly isMinimum: boolean
}

export const countUnattempted = (selection: Selection) =>
  Effect.gen(function* () {
    const counts = new Map<number, { count: number; oldest: string }>()
    let isMinimum = false
    yield* overUnattempted(selection, (found, read) =>
      Effect.sync(() => {
        for (const { webhook, time } of found) {
          const { count, oldest } = counts.get(webhook) ?? { count: 0, oldest: time }
          counts.set(webhook, { count: count + 1, oldest: time < oldest ? time : oldest })
        }
        isMinimum = read >= countedMax
        return !isMinimum
      })
    ).pipe(Effect.catchTag("WaitingUnknown", () => Effect.sync(() => (isMinimum = true))))
    return { counts, isMinimum } satisfies UnattemptedCount
  })

export const sumOf = ({ counts }: UnattemptedCount): number =>
  [...counts.values()].reduce((total, { count }) => total + count, 0)
