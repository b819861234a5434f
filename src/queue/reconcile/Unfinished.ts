/** The deliveries that Postgres says a webhook is owed still (Reconcile.ts), read page by page. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import type { Delivery } from "../../event/Delivery.ts"
import { type Position, comparePositions, positionOf } from "../../event/Position.ts"
import { type Place, eventsUpTo } from "../../changelog/EventsAfter.ts"
import { type LoggedEvent, loggedDelivery, loggedEvent, subjectOf } from "../../changelog/LoggedEvent.ts"
import { eventsAsSeen, viewersAmong } from "../../changelog/SeenEvents.ts"
import { WebhookIndex, listenedTypes } from "../../match/WebhookIndex.ts"
import { versionsOf } from "../../match/WebhookVersions.ts"
import type { DeliveryRow } from "./Missing.ts"
import { watermarkTable } from "./Watermarks.ts"

/** Events and deliveries read at once. */
const pageSize = 1000

type Visit<A, E, R> = (page: ReadonlyArray<A>) => Effect.Effect<unknown, E, R>

/** The states in the delivery log of a delivery that waits for its next attempt. */
export type WaitingState = "retrying" | "queued"

/** The row of a delivery that waits, without its event. */
export interface WaitingRow extends DeliveryRow {
  readonly id: string
  readonly attempts: string
}

/** Visits the deliveries that have one of these states in the delivery log. */
export const eachWaiting = Effect.fnUntraced(function* <E, R>(
  webhook: number,
  states: ReadonlyArray<WaitingState>,
  visit: Visit<WaitingRow, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  for (const ids of yield* waitingIds(webhook, states)) {
    yield* visit(
      yield* sql<WaitingRow>`
        select id::text as id, delivery_id, webhook_id::text as webhook_id, position::text as position, idx::text as idx,
               attempts::text as attempts
          from extras_delivery where id = any (${ids}::text[]::bigint[]) and status = any (${states}::text[]) order by id`
    )
  }
})

/**
 * Ids of waiting deliveries, in parts of a page. Read at once: Postgres would sort all that are left for each page of a
 * mass edit, whose deliveries have the same time.
 */
const waitingIds = (webhook: number, states: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly ids: ReadonlyArray<string> }>`
      select array_agg(id::text) as ids
        from (select id, (row_number() over (order by id) - 1) / ${pageSize}::int as part
                from extras_delivery where webhook_id = ${webhook}::bigint and status = any (${states}::text[])) waiting
       group by part order by part`.pipe(Effect.map((rows) => rows.map(({ ids }) => ids)))
  )

/**
 * Visits the deliveries between the webhook's watermarks of which the delivery log has no row, in the order of the WAL;
 * returns how many there are. An event matched as the webhook was at its position.
 */
export const eachUnlogged = Effect.fnUntraced(function* <E, R>(webhook: number, visit: Visit<Delivery, E, R>) {
  const debt = yield* debtOf(webhook)
  if (debt === undefined) return 0
  const versions = [...(yield* versionsOf(webhook))]
  const types = [...new Set(versions.flatMap(({ row }) => (row === undefined ? [] : listenedTypes(row))))]
  const index = new WebhookIndex()
  const all = [...versions]
  const scopeAt = (event: LoggedEvent) => all.findLast((version) => !isAfter(version, event))?.row?.scope_user
  let count = 0
  const next = (after: Place) => eventsUpTo(after, debt.until, unlogged(webhook, types), pageSize)
  for (let page = yield* next(debt.after); page.length > 0; page = yield* next(page.at(-1)!)) {
    const owed: Array<Delivery> = []
    yield* mapInSlices(yield* eventsAsSeen(page, (event) => viewersAmong(scopeAt(event))), (event) => {
      while (versions.length > 0 && !isAfter(versions[0]!, event)) {
        const { row } = versions.shift()!
        index.set(webhook, row && { ...row, scope_user: null })
      }
      if (index.match(subjectOf(event)).length > 0) owed.push(loggedDelivery(event, webhook))
    })
    if (owed.length > 0) yield* visit(owed)
    count += owed.length
  }
  return count
})

/** The events at these places that the user in the webhook's scope may view, as deliveries: they matched before. */
export const deliveriesAt = Effect.fnUntraced(function* (webhook: number, places: ReadonlyArray<Position>) {
  const sql = yield* SqlClient.SqlClient
  const events = yield* sql.unsafe<LoggedEvent & { readonly scope: string | null }>(
    `select ${loggedEvent}, w.scope_user_id::text as scope
       from unnest($2::text[]::bigint[], $3::text[]::bigint[]) as p (position, idx)
       join extras_objectchange c using (position, idx)
       join extras_webhook w on w.id = $1::bigint
      order by c.position, c.idx`,
    [webhook, places.map(({ position }) => `${position}`), places.map(({ idx }) => `${idx}`)]
  )
  const shown = yield* eventsAsSeen(events, ({ scope }) => viewersAmong(scope))
  return shown.map((event) => loggedDelivery(event, webhook))
})

/** Whether a version is later than the event: a version counts from its own position on. */
const isAfter = (version: Position, event: LoggedEvent): boolean => comparePositions(version, positionOf(event)) > 0

/** The span between the webhook's watermarks: behind `after`, up to `until`. Undefined if nothing was ever queued. */
const debtOf = (webhook: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .unsafe<{ readonly after: Place; readonly until: Place }>(
        `select json_build_object('position', open_position::text, 'idx', (open_idx - 1)::text) as after,
                json_build_object('position', appended_position::text, 'idx', appended_idx::text) as until
           from ${watermarkTable.name} where webhook_id = $1::bigint`,
        [webhook]
      )
      .pipe(Effect.map(([debt]) => debt))
  )

/**
 * SQL over `c`: its event is of one of these types, and the delivery log has no attempt of it by the webhook. Events of
 * other types, which may be most of a span, are not sent to this process.
 */
const unlogged = (webhook: number, types: ReadonlyArray<string>) => ({
  sql: `c.changed_object_type = any ($2::text[])
        and not exists (select 1 from extras_delivery d
                         where d.delivery_id = $1::text || '-' || c.position || '-' || c.idx and d.time = c.time)`,
  parameters: [`${webhook}`, types]
})
