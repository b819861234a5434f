/** Events of the change log as users may see them, for deliveries that are bound to somebody's view. */
import { Effect } from "effect"
import { seen } from "../../auth/Sight.ts"
import type { Json } from "../../inventory/derive/represent/Representation.ts"
import { masked } from "../../inventory/derive/represent/Masked.ts"
import type { LoggedEvent } from "./LoggedEvent.ts"

/**
 * Without the events that one of their viewers may not see, and without what is hidden from them in the others. Events
 * that have no viewers stay to the letter, and cost nothing.
 */
export const eventsAsSeen = Effect.fnUntraced(function* <E extends LoggedEvent>(
  events: ReadonlyArray<E>,
  viewersOf: (event: E) => ReadonlyArray<number>
) {
  const bound = events.map(viewersOf)
  if (bound.every((viewers) => viewers.length === 0)) return events
  const data = events.map((event, at) => (bound[at]!.length === 0 ? {} : (JSON.parse(event.data) as Json)))
  const answers = yield* seen(
    events.map((event, at) => ({
      type: event.object_type,
      objectId: Number(event.object_id),
      data: data[at]!,
      viewers: bound[at]!
    }))
  )
  return events.flatMap((event, at): ReadonlyArray<E> => {
    const answer = answers[at]
    if (answer === undefined) return []
    const { data: shown, hidden } = answer
    return [hidden.length === 0 ? event : { ...event, data: JSON.stringify(shown), hidden }]
  })
})

/** The event with these objects shown by id alone: what a delivery of it left to the change log. */
export const withHidden = (event: LoggedEvent, hidden: ReadonlyArray<string>): LoggedEvent =>
  hidden.length === 0
    ? event
    : { ...event, data: JSON.stringify(masked(JSON.parse(event.data) as Json, new Set(hidden))) }

/** The users that are named, of those who may be. */
export const viewersAmong = (...ids: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  ids.flatMap((id) => (id === null || id === undefined ? [] : [Number(id)]))
