/**
 * The deliveries that are compared in turn (Reconcile.ts): nothing in Redis shows that a key of a webhook was lost alone.
 *
 * One process, the sweeper, compares in each round some deliveries that are long overdue, and some that were parked
 * without an attempt. Those that are nowhere in Redis, twice, are queued again.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Pace } from "../../eventloop/Pace.ts"
import { formatPosition, parsePosition } from "../../event/Position.ts"
import type { Sought } from "../Absent.ts"
import { Streams } from "../Streams.ts"
import { discardDeleted } from "./Deleted.ts"
import { type DeliveryRow, missing, soughtOf } from "./Missing.ts"
import { holdLost } from "./Reconcile.ts"
import { deliveriesAt } from "./Unfinished.ts"

/** Rows compared in one round. */
const rowsMax = 500

interface Overdue extends DeliveryRow {
  readonly id: string
  /** Whether the webhook exists, and is neither disabled nor paused. */
  readonly exists: boolean
  readonly runs: boolean
}

/** The webhooks to which this process delivers. */
interface Delivering {
  readonly get: (
    webhook: number
  ) => { readonly isOrdered: () => boolean; readonly dueIn: (millis: number) => void } | undefined
}

/** The cursor of the next comparison. */
export class Sample {
  /** The last row that was compared. */
  private lastRow = "0"
  /** By webhook, the place up to which parked deliveries were compared. */
  private readonly lastPlaces = new Map<number, string>()

  /** Reconciles some of the overdue deliveries, and some of the parked ones of these webhooks. */
  readonly reconcile = Effect.fnUntraced(
    { self: this },
    function* (this: Sample, actors: Delivering, inspected: ReadonlyArray<number>) {
      const ordered = inspected.filter((webhook) => actors.get(webhook)?.isOrdered() === true)
      const found = [...(yield* this.overdue()), ...(yield* this.parked(ordered))]
      for (const webhook of found) actors.get(webhook)?.dueIn(0)
    }
  )

  /** Queues overdue deliveries again; returns the webhooks for which there were any. */
  private readonly overdue = Effect.fnUntraced({ self: this }, function* (this: Sample) {
    const rows = yield* overdueRows(this.lastRow)
    this.lastRow = rows.length < rowsMax ? "0" : rows.at(-1)!.id
    const deleted = new Set(rows.filter(({ exists }) => !exists).map((row) => Number(row.webhook_id)))
    for (const webhook of deleted) yield* discardDeleted(webhook)
    const running = Map.groupBy(
      rows.filter(({ runs }) => runs),
      (row) => Number(row.webhook_id)
    )
    const absent = yield* missing(new Map(Array.from(running, ([webhook, each]) => [webhook, each.map(soughtOf)])))
    for (const [webhook, gone] of absent) {
      const ids = new Set(gone.map(({ id }) => id))
      const lost = running.get(webhook)!.filter((row) => ids.has(row.delivery_id))
      yield* holdLost(webhook, `d.id = any ($1::text[]::bigint[]) and ${yield* isOverdue}`, [lost.map(({ id }) => id)])
    }
    return absent.keys()
  })

  /** Queues deliveries again that left the queue without an attempt, of webhooks for which order matters. */
  private readonly parked = Effect.fnUntraced(
    { self: this },
    function* (this: Sample, webhooks: ReadonlyArray<number>) {
      const streams = yield* Streams
      const found = new Set<number>()
      const sought = new Map<number, ReadonlyArray<Sought>>()
      for (const webhook of webhooks) {
        if ((yield* streams.release(webhook)) > 0) found.add(webhook)
        const { places, last } = yield* streams.unattempted(webhook, this.lastPlaces.get(webhook) ?? "")
        this.lastPlaces.set(webhook, last)
        if (last === "") this.lastPlaces.delete(webhook)
        sought.set(
          webhook,
          places.map((place) => ({ id: place.slice(place.indexOf("|") + 1), place, entryId: "" }))
        )
      }
      for (const [webhook, gone] of yield* missing(sought)) {
        yield* parkAgain(webhook, gone)
        found.add(webhook)
      }
      return found
    }
  )
}

/** SQL: whether the delivery `d` should have been attempted, if its receiver is not busy. */
const isOverdue = Effect.map(
  Pace,
  ({ deliver }) => `d.status = 'retrying' and d.next_attempt < now() - interval '${deliver.overdueMillis} milliseconds'`
)

const overdueRows = (after: string) =>
  Effect.flatMap(Effect.all([SqlClient.SqlClient, isOverdue]), ([sql, isOverdue]) =>
    sql.unsafe<Overdue>(
      `select d.id::text as id, d.delivery_id, d.webhook_id::text as webhook_id, d.position::text as position,
             d.idx::text as idx, w.id is not null as exists,
             coalesce(w.enabled and not coalesce(w.paused, false), false) as runs
        from extras_delivery d left join extras_webhook w on w.id = d.webhook_id
        where ${isOverdue} and d.id > $1::text::bigint order by d.id limit ${rowsMax}`,
      [after]
    )
  )

/** Queues parked deliveries again, from the change log; forgets deliveries that are in the delivery log. */
const parkAgain = Effect.fnUntraced(function* (webhook: number, gone: ReadonlyArray<Sought>) {
  const sql = yield* SqlClient.SqlClient
  const streams = yield* Streams
  const logged = yield* sql<{ readonly id: string }>`
    select delivery_id as id from extras_delivery where delivery_id = any (${gone.map(({ id }) => id)}::text[])`
  const known = new Set(logged.map(({ id }) => id))
  yield* streams.forgetPlaces(
    webhook,
    gone.filter(({ id }) => known.has(id)).map(({ place }) => place)
  )
  const positions = gone
    .filter(({ id }) => !known.has(id))
    .map(({ place }) => parsePosition(place.slice(0, place.indexOf("|"))))
  if (positions.length === 0) return
  const deliveries = yield* deliveriesAt(webhook, positions)
  yield* Effect.logError(
    `Redis lost ${positions.length} deliveries of webhook ${webhook} that were parked, from ${formatPosition(positions[0]!)} on; ${deliveries.length} are queued again.`
  )
  yield* streams.delay(
    webhook,
    deliveries.map((delivery) => ({ delayMillis: 0, delivery })),
    true
  )
})
