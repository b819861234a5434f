/**
 * Fills a stream of which Redis has lost entries again, from the data in Postgres.
 *
 * A webhook is owed the events that it matched at the time, between its watermarks: from the first entry that may have
 * been unfinished to the last that was appended. Deliveries that the log knows as attempted are not owed; deliveries
 * that wait for their next attempt are. An attempt that was under way when Redis lost its data is repeated under its
 * id.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { type Position, comparePositions, positionOf } from "../../event/Position.ts"
import { WebhookIndex } from "../../match/WebhookIndex.ts"
import { versionsOf } from "../../match/WebhookVersions.ts"
import { Append } from "../Append.ts"
import type { Delivery } from "../../event/Delivery.ts"
import { Streams } from "../Streams.ts"
import { overEntries } from "./Browse.ts"
import { settleLogged } from "./SettleLogged.ts"
import { type Place, eventsUpTo } from "../../changelog/EventsAfter.ts"
import { type LoggedEvent, loggedDelivery, subjectOf } from "../../changelog/LoggedEvent.ts"
import { loggedDeliveries, holdLogged } from "./LoggedDeliveries.ts"
import { eventsAsSeen, viewersAmong } from "../../changelog/SeenEvents.ts"
import { watermarkTable } from "./Watermarks.ts"

/** Events and deliveries read at once. */
const pageSize = 1000

/** Fills the webhook's stream again; returns how many deliveries were owed. */
export const rebuild = Effect.fnUntraced(function* (webhook: number) {
  const ordered = yield* isOrdered(webhook)
  // Entries that were acknowledged already may be back.
  yield* overEntries(webhook, (page) =>
    settleLogged(
      webhook,
      page.map((entry) => ({ ...entry, ordered }))
    )
  )
  // Before anything may be appended: for order's sake, and because the stream counts as lost until then.
  const waiting = yield* holdWaiting(webhook, ordered)
  const owed = yield* refill(webhook)
  if (ordered) yield* releaseEnded(webhook)
  yield* Effect.logError(
    `Redis lost entries of webhook ${webhook}: ${owed} deliveries and ${waiting} that wait were queued again.`
  )
  return owed + waiting
})

const isOrdered = (webhook: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select 1 from extras_webhook where id = ${webhook}::bigint and ordering = 'object'`.pipe(
      Effect.map((rows) => rows.length > 0)
    )
  )

/** Adds the deliveries that wait for their next attempt to Redis again; returns how many. */
const holdWaiting = Effect.fnUntraced(function* (webhook: number, ordered: boolean) {
  let count = 0
  for (const ids of yield* waitingIds(webhook)) {
    // A page may end before the ids do: it holds so many characters of events.
    const next = (last: string) =>
      loggedDeliveries("d.id = any ($1::bigint[]) and d.status in ('retrying', 'queued') and d.id > $2::text::bigint", [
        ids,
        last
      ])
    for (let page = yield* next("0"); page.length > 0; page = yield* next(page.at(-1)!.id)) {
      yield* holdLogged(page, { anew: false, first: ordered })
      count += page.length
    }
  }
  return count
})

/**
 * Ids of waiting deliveries, in parts of a page. Read at once: Postgres would sort all that are left for each page of a
 * mass edit, whose deliveries have the same time.
 */
const waitingIds = (webhook: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly ids: ReadonlyArray<string> }>`
      select array_agg(id::text) as ids
        from (select id, (row_number() over (order by id) - 1) / ${pageSize}::int as part
                from extras_delivery where webhook_id = ${webhook}::bigint and status in ('retrying', 'queued')) waiting
       group by part order by part`.pipe(Effect.map((rows) => rows.map(({ ids }) => ids)))
  )

/**
 * Unblocks deliveries that were parked behind one that the log says has ended, and whose entry Redis lost. The process
 * that made the attempt does not know whether a copy of it is queued, so it unblocks nothing. No copy is queued of a
 * delivery that had ended when its webhook's debts were read; if it ended since, its copy may be overtaken.
 */
const releaseEnded = Effect.fnUntraced(function* (webhook: number) {
  const streams = yield* Streams
  const sql = yield* SqlClient.SqlClient
  const blockers = yield* streams.blockers(webhook)
  const rows = yield* sql<{ readonly id: string }>`
    select delivery_id as id from extras_delivery
     where delivery_id = any (${blockers.map(({ id }) => id)}::text[]) and status in ('successful', 'failed', 'discarded')`
  const ended = new Set(rows.map(({ id }) => id))
  yield* streams.unblock(
    webhook,
    blockers.filter(({ id }) => ended.has(id))
  )
})

/** Fills the stream, a page of events at a time, with the owed deliveries; returns how many there were. */
const refill = Effect.fnUntraced(function* (webhook: number) {
  const { restore } = yield* Append
  const versions = [...(yield* versionsOf(webhook))]
  const index = new WebhookIndex()
  const all = [...versions]
  const scopeAt = (event: LoggedEvent) => all.findLast((version) => !isAfter(version, event))?.row?.scope_user
  const debt = yield* debtOf(webhook)
  let [count, after] = [0, ""]
  let page = debt === undefined ? [] : yield* nextEvents(webhook, debt.after, debt.until)
  while (page.length > 0) {
    const owed: Array<Delivery> = []
    yield* mapInSlices(yield* eventsAsSeen(page, (event) => viewersAmong(scopeAt(event))), (event) => {
      while (versions.length > 0 && !isAfter(versions[0]!, event)) {
        const { row } = versions.shift()!
        index.set(webhook, row && { ...row, scope_user: null })
      }
      if (index.match(subjectOf(event)).length > 0) owed.push(loggedDelivery(event, webhook))
    })
    count += owed.length
    if (owed.length > 0) after = yield* restore(webhook, { owed, after, isLast: false })
    page = yield* nextEvents(webhook, page.at(-1)!, debt!.until)
  }
  yield* restore(webhook, { owed: [], after, isLast: true })
  return count
})

/** Whether a version is later than the event: a version counts from its own position on. */
const isAfter = (version: Position, event: LoggedEvent): boolean => comparePositions(version, positionOf(event)) > 0

/** The debt between the webhook's watermarks: behind `after`, up to `until`. Undefined if nothing was ever queued. */
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

/** The next page of events up to a place that the delivery log has no attempt of. */
const nextEvents = (webhook: number, after: Place, until: Place) =>
  eventsUpTo(
    after,
    until,
    {
      sql: `not exists (select 1 from extras_delivery d
                         where d.delivery_id = $1::text || '-' || c.position || '-' || c.idx and d.time = c.time)`,
      parameters: [`${webhook}`]
    },
    pageSize
  )
