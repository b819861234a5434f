/** Events read from the change log, byte for byte as capture made them; and their deliveries as they were queued. */
import { type Delivery, deliveryBody, deliveryOf } from "../event/Delivery.ts"
import { parseExactly } from "../postgres/ExactJson.ts"
import { type Event, type SourceFacts, contextOf } from "../event/Event.ts"
import { type Action, kindOf } from "../event/Kind.ts"
import { positionOf } from "../event/Position.ts"
import type { Subject } from "../match/Subject.ts"

/** A row of `loggedEvent`. */
export interface LoggedEvent {
  readonly position: string
  readonly idx: string
  readonly action: Action
  readonly object_type: string
  readonly object_id: string
  readonly request_id: string
  readonly event_time: string
  readonly user_name: string
  /** JSON text; `null` for plain SQL. Null where an earlier version wrote the row. */
  readonly request: string | null
  /** Why; empty where nothing is said. */
  readonly message: string
  /** JSON text; `null` for the inventory. Null where an earlier version wrote the row. */
  readonly source: string | null
  readonly data: string
  readonly prechange: string
  readonly postchange: string
  /** Keys of what the texts do not show, since a viewer may not see it (SeenEvents.ts). */
  readonly hidden?: ReadonlyArray<string>
}

/**
 * The columns to select of the change log under the alias `c`. The time is printed as capture printed it, trailing zeros
 * included.
 */
export const loggedEvent = `
  c.position::text as position, c.idx::text as idx, c.action, c.changed_object_type as object_type,
  c.changed_object_id::text as object_id, c.request_id::text as request_id, c.user_name, c.request::text as request, c.message,
  c.source::text as source,
  to_char(c.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as event_time,
  c.data::text as data, c.prechange_data::text as prechange, c.postchange_data::text as postchange`

/** The event as conditions see it. */
export const subjectOf = (event: LoggedEvent): Subject => ({
  type: event.object_type,
  kind: kindOf[event.action],
  data: parseExactly(event.data),
  snapshots: { prechange: parseExactly(event.prechange), postchange: parseExactly(event.postchange) },
  context: contextOf(eventOf(event))
})

/** The event as capture made it. */
export const eventOf = (row: LoggedEvent): Event => ({
  ...positionOf(row),
  kind: kindOf[row.action],
  objectType: row.object_type,
  objectId: Number(row.object_id),
  timestamp: row.event_time,
  username: row.user_name,
  requestId: row.request_id,
  request: (JSON.parse(row.request ?? "null") as Event["request"] | null) ?? undefined,
  ...(row.message !== "" && { message: row.message }),
  ...sourceIn(row),
  json: { data: row.data, prechange: row.prechange, postchange: row.postchange }
})

const sourceIn = ({ source }: LoggedEvent): Pick<Event, "source"> => {
  const facts = JSON.parse(source ?? "null") as SourceFacts | null
  return facts === null ? {} : { source: facts }
}

/** The delivery to the webhook as it was first queued. */
export const loggedDelivery = (row: LoggedEvent, webhook: number): Delivery => {
  const event = eventOf(row)
  return deliveryOf(event, webhook, deliveryBody(event, row.hidden))
}

/** Most characters of events in one page of the change log; a single event may be longer. */
const pageCharsMax = 8 << 20

/**
 * The query, limited to the first rows whose texts fit a page, at least one. It selects `loggedEvent`, and its rows are
 * ordered by `order`.
 */
export const pageOf = (query: string, order: string): string => {
  const size = "octet_length(data) + octet_length(prechange) + octet_length(postchange)"
  return `select * from (
      select *, sum(${size}) over (order by ${order}) - (${size}) as size_before from (${query}) found) sized
    where size_before < ${pageCharsMax} order by ${order}`
}
