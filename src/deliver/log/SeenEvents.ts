/** Events of the change log as particular users may see them. */
import { Effect } from "effect"
import { seen } from "../../auth/Sight.ts"
import type { Json } from "../../inventory/derive/represent/Representation.ts"
import { masked } from "../../inventory/derive/represent/Masked.ts"
import type { LoggedEvent } from "./LoggedEvent.ts"

/**
 * Leaves out events of which one viewer may not see the object; in the others, objects that a viewer may not see are
 * shown by id alone. Events without viewers stay as they are, at no cost.
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

/** The event with these objects shown by id alone, as a delivery whose body is in the change log names them. */
export const withHidden = (event: LoggedEvent, hidden: ReadonlyArray<string>): LoggedEvent =>
  hidden.length === 0
    ? event
    : { ...event, data: JSON.stringify(masked(JSON.parse(event.data) as Json, new Set(hidden))) }

/** The users among the ids that may be null. */
export const viewersAmong = (...ids: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  ids.flatMap((id) => (id === null || id === undefined ? [] : [Number(id)]))
