/** The latest events of some object types that the reader may view, newest first, a page at a time. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Action } from "../../event/Kind.ts"
import { isEvent } from "../../event/Position.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { type LoggedEvent, loggedEvent, pageOf } from "../../changelog/LoggedEvent.ts"
import { isShort } from "./ExplainedEvent.ts"

/** An event with its row of the change log. */
export interface LatestEvent extends LoggedEvent {
  readonly change_id: string
  readonly display: string
}

/** A change for which a webhook does not fire, and the reason. */
export interface SkippedChange {
  readonly object_change: number
  readonly time: string
  readonly action: Action
  readonly object_type: string
  readonly object_id: number
  readonly display: string
  readonly reason: string
}

export const skippedChange = (event: LatestEvent, reason: string): SkippedChange => ({
  object_change: Number(event.change_id),
  time: event.event_time,
  action: event.action,
  object_type: event.object_type,
  object_id: Number(event.object_id),
  display: event.display,
  reason
})

/** The columns that identify an event, without the state of its object. */
type EventName = Pick<LatestEvent, "change_id" | "display" | "action" | "object_type" | "event_time">

interface EventQuery {
  readonly types: ReadonlyArray<string>
  /** ISO 8601; absent for all times. */
  readonly since?: string
  /** Continues after this event. */
  readonly after?: LatestEvent | undefined
  readonly limit: number
}

const order = "event_time desc, change_id::bigint desc"

/** A page; events that are too long to be evaluated are left out. It has fewer than `limit` if they are long. */
export const latestEvents = (wanted: EventQuery) => latest<LatestEvent>(wanted, (query) => pageOf(query, order))

/** The same events by name, `limit` of them. */
export const latestNames = (wanted: EventQuery) =>
  latest<EventName>(
    wanted,
    (query) => `select change_id, display, action, object_type, event_time from (${query}) e order by ${order}`
  )

const latest = Effect.fnUntraced(function* <Found>(wanted: EventQuery, paged: (query: string) => string) {
  const { types, since, after, limit } = wanted
  const sql = yield* SqlClient.SqlClient
  const where = allOf(
    { sql: `${isEvent("t")} and t.changed_object_type = any ($1::text[])`, parameters: [types] },
    ...(since === undefined ? [] : [{ sql: "t.time >= $1::timestamptz", parameters: [since] }]),
    ...(after === undefined
      ? []
      : [
          {
            // Alone, the first comparison leaves out days that cannot have one.
            sql: "t.time <= $1::timestamptz and (t.time, t.id) < ($1::timestamptz, $2::bigint)",
            parameters: [after.event_time, after.change_id]
          }
        ]),
    yield* cleared(changeType, "view")
  )
  // The subquery renames the table: the condition names it t, and an event has the columns of c.
  const query = `select ${loggedEvent}, c.id::text as change_id, c.object_repr as display
      from ${changeType.table} t, lateral (select t.*) c
     where ${where.sql} and ${isShort} order by t.time desc, t.id desc limit ${limit}`
  const page = sql.unsafe<Found & object>(paged(query), where.parameters)
  // A rare type is found by its index, a frequent one by time. A plan for all types would read the whole log for a rare
  // one.
  const planned = sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`
  return yield* sql.withTransaction(Effect.andThen(planned, page))
})
