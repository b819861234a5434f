/** Events of the change log as particular users may see them. */
import { Effect } from "effect"
import { parseExactly } from "../postgres/ExactJson.ts"
import { seen } from "../auth/Sight.ts"
import { type ObjectState, maskedState } from "../inventory/derive/represent/Masked.ts"
import type { Json } from "../inventory/derive/represent/Representation.ts"
import type { LoggedEvent } from "./LoggedEvent.ts"

/**
 * Leaves out events of which one viewer may not see the object; in the others, what a viewer may not see is hidden
 * (Masked.ts). Events without viewers stay as they are, at no cost.
 */
export const eventsAsSeen = Effect.fnUntraced(function* <E extends LoggedEvent>(
  events: ReadonlyArray<E>,
  viewersOf: (event: E) => ReadonlyArray<number>
) {
  const bound = events.map(viewersOf)
  if (bound.every((viewers) => viewers.length === 0)) return events
  const answers = yield* seen(
    events.map((event, at) => ({
      type: event.object_type,
      objectId: Number(event.object_id),
      ...(bound[at]!.length === 0 ? { data: {} } : stateOf(event)),
      viewers: bound[at]!
    }))
  )
  return events.flatMap((event, at): ReadonlyArray<E> => {
    const answer = answers[at]
    if (answer === undefined) return []
    return [answer.hidden.length === 0 ? event : { ...event, ...textsOf(answer), hidden: answer.hidden }]
  })
})

/** The part of the event that describes its object. */
export const stateOf = ({ data, prechange, postchange }: LoggedEvent) => ({
  data: parseExactly(data) as Json,
  snapshots: { prechange: parseExactly(prechange), postchange: parseExactly(postchange) }
})

const textsOf = ({ data, snapshots }: ObjectState): Pick<LoggedEvent, "data" | "prechange" | "postchange"> => ({
  data: JSON.stringify(data),
  prechange: JSON.stringify(snapshots?.prechange ?? null),
  postchange: JSON.stringify(snapshots?.postchange ?? null)
})

/** The event without what these keys hide, as a delivery whose body is in the change log names them. */
export const withHidden = (event: LoggedEvent, hidden: ReadonlyArray<string>): LoggedEvent =>
  hidden.length === 0 ? event : { ...event, ...textsOf(maskedState(stateOf(event), new Set(hidden))) }

/** The users among the ids that may be null. */
export const viewersAmong = (...ids: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  ids.flatMap((id) => (id === null || id === undefined ? [] : [Number(id)]))
