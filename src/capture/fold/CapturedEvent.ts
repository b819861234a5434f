/** Events as capture makes them from the changes of a transaction. */
import type { Event } from "../../event/Event.ts"
import type { Kind } from "../../event/Kind.ts"
import { type Position, inEpoch } from "../../event/Position.ts"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Json, representation, snapshot, viewOf } from "../../inventory/derive/represent/Representation.ts"
import { inWords } from "../../Telemetry.ts"
import type { Readable } from "./Change.ts"
import type { RelatedRows } from "./RelatedRows.ts"
import type { Window } from "./TransactionWindows.ts"

export interface CapturedEvent extends Event {
  /** The transaction's number in Postgres, its lower 32 bits. */
  readonly xid: number
  readonly type: ObjectType
  readonly display: string
  readonly before: Row | undefined
  readonly after: Row | undefined
  readonly data: Json
  readonly prechange: Json | null
  readonly postchange: Json | null
}

/** What became of changes: events, and changes that were set aside. */
export interface EventBatch {
  readonly events: ReadonlyArray<CapturedEvent>
  readonly aside: ReadonlyArray<SetAside>
}

/** A change that no event can be made of. */
export interface SetAside extends Position {
  readonly type: ObjectType
  readonly kind: Kind
  /** As the WAL tells it: it may be no safe number. */
  readonly objectId: string
  readonly timestamp: string
  readonly reason: string
  /** The row with what could not be read in it marked. */
  readonly after: Row | undefined
}

/**
 * The events of a window, in the order of their idx. `base` stands before the paths in URLs. What a row holds keeps
 * nothing but its own change from becoming an event.
 */
export const eventsOf = (window: Window, epoch: number, related: RelatedRows, base: string): EventBatch => {
  const { commitLsn, xid, timestamp, anonymous } = window.transaction
  const aside: Array<SetAside> = []
  for (const change of window.changes) related.apply(change)
  const { customFields } = related
  const viewAfter = viewOf(base, { row: findIn(window.changes, related, ({ last }) => last), customFields })
  const viewBefore = viewOf(base, {
    row: findIn(window.changes, related, ({ before, last }) => before ?? last),
    customFields
  })
  const eventOf = (change: Window["changes"][number]): CapturedEvent => {
    const { type, kind, idx } = change
    // What goes is told as it was, and so is what it pointed at.
    const view = kind === "deleted" ? viewBefore : viewAfter
    const last = change.last.row()
    const known = change.before?.row()
    // An update that repairs a row is told: what it was before is as good as unknown.
    const before = change.before?.unreadable === undefined ? known : undefined
    const after = change.after?.row()
    const { username, requestId } = change.context ?? anonymous
    const data = representation(type, last, view)
    const prechange = before === undefined ? null : snapshot(type, before, view)
    const postchange = after === undefined ? null : snapshot(type, after, view)
    return {
      position: inEpoch(epoch, commitLsn),
      idx,
      xid,
      type,
      kind,
      objectType: type.id,
      objectId: last.id,
      display: type.display(last, view),
      timestamp,
      username,
      requestId,
      before,
      after,
      data,
      prechange,
      postchange,
      json: {
        data: JSON.stringify(data),
        prechange: JSON.stringify(prechange),
        postchange: JSON.stringify(postchange)
      }
    }
  }
  const setAside = (change: Window["changes"][number], why: string): void => {
    const { type, kind, idx, last } = change
    const objectId = last.unsafeId ?? `${last.id}`
    const reason = last.incomplete ?? why
    const after = change.after?.row()
    aside.push({ position: inEpoch(epoch, commitLsn), idx, type, kind, objectId, timestamp, reason, after })
  }
  const events = window.changes.flatMap((change): ReadonlyArray<CapturedEvent> => {
    try {
      // Only a row that was read tells whether it can be.
      change.last.row()
      if (change.last.unreadable === undefined) return [eventOf(change)]
      setAside(change, change.last.unreadable)
    } catch (error) {
      setAside(change, inWords(error))
    }
    return []
  })
  return { events, aside }
}

/** Objects that the window changes, as they were before or are after it; the others as they are known. */
const findIn = (
  changes: Window["changes"],
  related: RelatedRows,
  pick: (change: Window["changes"][number]) => Readable
): RelatedRows["find"] => {
  const sound = changes.filter(({ last }) => last.unsafeId === undefined)
  const picked = new Map(sound.map((change) => [`${change.type.id} ${change.last.id}`, pick(change)]))
  return (type, id) => picked.get(`${type} ${id}`)?.row() ?? related.find(type, id)
}
