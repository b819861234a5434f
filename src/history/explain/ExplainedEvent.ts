/** Events of the change log for explanations: those that can be evaluated while a reader waits. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { hiddenFromReader } from "../../auth/Sight.ts"
import { isEvent } from "../../event/Position.ts"
import { isDictionary } from "../../inventory/Field.ts"
import { maskedState } from "../../inventory/derive/represent/Masked.ts"
import type { Subject } from "../../match/Subject.ts"
import { type LoggedEvent, loggedEvent, subjectOf } from "../../changelog/LoggedEvent.ts"

/** Longest event that is parsed for an explanation, bytes: parsing is one step of the event loop. */
const eventBytesMax = 4 * 1024 * 1024

/** SQL: whether an event of the change log `c` is that short. */
export const isShort = `octet_length(c.data::text) + octet_length(c.prechange_data::text) + octet_length(c.postchange_data::text)
  <= ${eventBytesMax}`

export const tooLong = `The event is longer than ${eventBytesMax / 1024 / 1024} MiB, so it is not evaluated here.`

/** The event of a change that the reader may view; undefined if it is too long. */
export const eventOfChange = Effect.fnUntraced(function* (change: { readonly id: number; readonly time: string }) {
  const sql = yield* SqlClient.SqlClient
  const [event] = yield* sql.unsafe<LoggedEvent>(
    `select ${loggedEvent} from extras_objectchange c
      where c.id = $1::bigint and c.time = $2::timestamptz and ${isEvent("c")} and ${isShort}`,
    [`${change.id}`, change.time]
  )
  return event
})

export type EventState = Subject & { readonly data: Readonly<Record<string, unknown>> }

/** An event as it was matched, and as the current reader may see it. */
export interface Readable {
  readonly event: LoggedEvent
  readonly subject: EventState
  /** Keys of what the reader may not see of it (Masked.ts). */
  readonly hidden: ReadonlySet<string>
  /** Undefined where the reader may see all of it. */
  readonly shown: EventState | undefined
}

export const readableOf = Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
  const subjects = events.map((event) => {
    const subject = subjectOf(event)
    return { ...subject, data: isDictionary(subject.data) ? subject.data : {} }
  })
  const hiddenIn = yield* hiddenFromReader(
    subjects.map((subject, at) => ({ ...subject, objectId: Number(events[at]!.object_id) }))
  )
  return events.map((event, at): Readable => {
    const [subject, hidden] = [subjects[at]!, hiddenIn[at]!]
    return { event, subject, hidden, shown: hidden.size === 0 ? undefined : maskedState(subject, hidden) }
  })
})
