/** Events of the change log as deliveries, to the letter as they were first queued. */
import { type EventText, eventBody } from "../../capture/CapturedEvent.ts"
import type { Subject } from "../../match/WebhookIndex.ts"
import { type Delivery, bodyFields, deliveryId } from "../../stream/Entry.ts"

/** A row of `loggedEvent`. */
export interface LoggedEvent {
  readonly position: string
  readonly idx: string
  readonly action: "create" | "update" | "delete"
  readonly object_type: string
  readonly object_id: string
  readonly request_id: string
  readonly event_time: string
  readonly user_name: string
  readonly data: string
  readonly prechange: string
  readonly postchange: string
  /** Objects that `data` shows by id alone, for those to whose view the event is bound (SeenEvents.ts). */
  readonly hidden?: ReadonlyArray<string>
}

/**
 * What to select of the change log under the alias `c`. The time is made as capture made it, trailing zeros included.
 */
export const loggedEvent = `
  c.position::text as position, c.idx::text as idx, c.action, c.changed_object_type as object_type,
  c.changed_object_id::text as object_id, c.request_id::text as request_id, c.user_name,
  to_char(c.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as event_time,
  c.data::text as data, c.prechange_data::text as prechange, c.postchange_data::text as postchange`

export const kinds: Readonly<Record<LoggedEvent["action"], EventText["kind"]>> = {
  create: "created",
  update: "updated",
  delete: "deleted"
}

/** What conditions see of the event. */
export const subjectOf = (event: LoggedEvent): Subject => ({
  type: event.object_type,
  kind: kinds[event.action],
  data: JSON.parse(event.data) as unknown,
  snapshots: { prechange: JSON.parse(event.prechange) as unknown, postchange: JSON.parse(event.postchange) as unknown }
})

/** The event as a delivery to the webhook, not attempted yet. */
export const deliveryOf = (event: LoggedEvent, webhook: number): Delivery => ({
  id: deliveryId(webhook, event.position, Number(event.idx)),
  webhook,
  position: event.position,
  idx: Number(event.idx),
  event: kinds[event.action],
  objectType: event.object_type,
  objectId: Number(event.object_id),
  requestId: event.request_id,
  time: event.event_time,
  attempts: 0,
  spent: 0,
  firstAttempt: 0,
  ...bodyFields(textOf(event), event.hidden)
})

/** The event as JSON text. */
export const textOf = (event: LoggedEvent): string =>
  eventBody({
    kind: kinds[event.action],
    timestamp: event.event_time,
    model: event.object_type.split(".")[1]!,
    username: event.user_name,
    requestId: event.request_id,
    json: { data: event.data, prechange: event.prechange, postchange: event.postchange }
  })

/** Characters of events that one page of the change log holds, one longer event aside. */
const pageCharsMax = 8 << 20

/**
 * The first rows of a query that selects `loggedEvent`, as far as their texts fit a page; at least one. `order` is what
 * the query's rows are ordered by.
 */
export const pageOf = (query: string, order: string): string => {
  const size = "octet_length(data) + octet_length(prechange) + octet_length(postchange)"
  return `select * from (
      select *, sum(${size}) over (order by ${order}) - (${size}) as size_before from (${query}) found) sized
    where size_before < ${pageCharsMax} order by ${order}`
}
