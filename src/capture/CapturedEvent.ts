/** Events as capture makes them from the changes of a transaction. */
import type { Event } from "../event/Event.ts"
import type { Kind } from "../event/Kind.ts"
import { type Position, inEpoch } from "../event/Position.ts"
import type { Row } from "../inventory/Field.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import { type Json, representation, snapshot, viewOf } from "../inventory/derive/represent/Representation.ts"
import { ownDisplay } from "../inventory/derive/represent/Masked.ts"
import type { RequestLine } from "../inventory/write/Transaction.ts"
import { parseExactly } from "../postgres/ExactJson.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { Readable } from "./fold/Change.ts"
import type { RelatedRows } from "./fold/RelatedRows.ts"
import type { RelayedInWindow, Window } from "./fold/TransactionWindows.ts"

export interface CapturedEvent extends Event {
  /** The transaction's number in Postgres, its lower 32 bits. */
  readonly xid: number
  /** The object's name in the change log: made of the object alone, since readers see different other objects. */
  readonly display: string
  readonly request: RequestLine | undefined
  /** The row of the inventory after the change; undefined for a deletion, and for an event of a source. */
  readonly after: Row | undefined
  readonly data: Json
  readonly prechange: Json | null
  readonly postchange: Json | null
}

/** The events of some changes, and the changes that were set aside. */
export interface EventBatch {
  readonly events: ReadonlyArray<CapturedEvent>
  readonly aside: ReadonlyArray<SetAside>
}

/** A change of which no event can be made. */
export interface SetAside extends Position {
  readonly type: ObjectType
  readonly kind: Kind
  /** As the WAL has it: it may be no safe integer. */
  readonly objectId: string
  readonly timestamp: string
  readonly requestId: string
  readonly reason: string
  /** The row; a value that cannot be read is an `Unreadable`. */
  readonly after: Row | undefined
}

/** Longest event, characters: Postgres takes statements of 1 GB, and a batch is one. */
const eventCharsMax = 64 * 1024 * 1024

/**
 * The events of a window, in the order of their idx. `base` is the URL before the paths in events. A change of which no
 * event can be made is set aside; the other changes are not affected.
 */
export const eventsOf = (window: Window, epoch: number, related: RelatedRows, base: string): EventBatch => {
  const { commitLsn, xid, timestamp, anonymous } = window.transaction
  const aside: Array<SetAside> = []
  for (const change of window.changes) applySafely(related, change)
  const { customFields } = related
  const viewAfter = viewOf(base, { row: findIn(window.changes, related, ({ last }) => last), customFields })
  const viewBefore = viewOf(base, {
    row: findIn(window.changes, related, ({ before, last }) => before ?? last),
    customFields
  })
  const eventOf = (change: Window["changes"][number]): CapturedEvent => {
    const { type, kind, idx } = change
    // A deleted object is shown as it was, with what it referred to before.
    const view = kind === "deleted" ? viewBefore : viewAfter
    const last = change.last.row()
    const known = change.before?.row()
    // An update that repairs a row is an event whose state before is null.
    const before = change.before?.unreadable === undefined ? known : undefined
    const after = change.after?.row()
    const { username, requestId, request, message } = change.context ?? anonymous
    const data = representation(type, last, view)
    const prechange = before === undefined ? null : snapshot(type, before, view)
    const postchange = after === undefined ? null : snapshot(type, after, view)
    const json = {
      data: JSON.stringify(data),
      prechange: JSON.stringify(prechange),
      postchange: JSON.stringify(postchange)
    }
    const chars = json.data.length + json.prechange.length + json.postchange.length
    if (chars > eventCharsMax) throw new Error(`an event of ${chars} characters, more than ${eventCharsMax}`)
    return {
      position: inEpoch(epoch, commitLsn),
      idx,
      xid,
      kind,
      objectType: type.id,
      objectId: last.id,
      display: ownDisplay(type, last),
      timestamp,
      username,
      requestId,
      request,
      message,
      after,
      data,
      prechange,
      postchange,
      json
    }
  }
  const events = window.changes.flatMap((change): ReadonlyArray<CapturedEvent> => {
    try {
      // `unreadable` is known only after the row was read.
      change.last.row()
      if (change.last.unreadable === undefined) return [eventOf(change)]
      aside.push(asideOf(window, epoch, change, change.last.unreadable))
    } catch (error) {
      aside.push(asideOf(window, epoch, change, inWords(error)))
    }
    return []
  })
  if (window.relayed.length === 0) return { events, aside }
  const place = { position: inEpoch(epoch, commitLsn), xid, timestamp }
  const relayed = window.relayed.map((each) => new SourceEvent(each, place))
  return { events: [...events, ...relayed].sort((a, b) => a.idx - b.idx), aside }
}

/** An event of a source. Its texts are parsed only where a webhook may fire for it. */
class SourceEvent implements CapturedEvent {
  readonly position: bigint
  readonly idx: number
  readonly xid: number
  readonly timestamp: string
  readonly kind: Kind
  readonly objectType: string
  readonly objectId: number
  readonly display: string
  readonly username: string
  readonly requestId: string
  readonly message: string | undefined
  readonly source: CapturedEvent["source"]
  readonly json: CapturedEvent["json"]
  readonly request = undefined
  readonly after = undefined
  private parsed: { readonly [name in keyof CapturedEvent["json"]]: Json } | undefined

  constructor(
    { event, idx }: RelayedInWindow,
    { position, xid, timestamp }: Pick<CapturedEvent, "position" | "xid" | "timestamp">
  ) {
    this.position = position
    this.idx = idx
    this.xid = xid
    this.timestamp = timestamp
    this.kind = event.kind
    this.objectType = event.objectType
    this.objectId = event.objectId
    this.display = event.display
    this.username = event.username
    this.requestId = event.requestId
    this.message = event.message
    this.source = event.source
    this.json = event.json
  }

  private get values() {
    const { data, prechange, postchange } = this.json
    this.parsed ??= {
      data: parseExactly(data) as Json,
      prechange: parseExactly(prechange) as Json,
      postchange: parseExactly(postchange) as Json
    }
    return this.parsed
  }

  get data(): Json {
    return this.values.data
  }

  get prechange(): Json | null {
    return this.values.prechange
  }

  get postchange(): Json | null {
    return this.values.postchange
  }
}

const asideOf = (
  { transaction: { commitLsn, timestamp, anonymous } }: Window,
  epoch: number,
  change: Window["changes"][number],
  why: string
): SetAside => {
  const { type, kind, idx, last, context } = change
  return {
    position: inEpoch(epoch, commitLsn),
    idx,
    type,
    kind,
    objectId: last.unsafeId ?? `${last.id}`,
    timestamp,
    requestId: (context ?? anonymous).requestId,
    reason: last.incomplete ?? why,
    after: change.after?.row()
  }
}

/** A row that cannot be read leaves the cache as it is. */
const applySafely = (related: RelatedRows, change: Window["changes"][number]): void => {
  try {
    related.apply(change)
  } catch {
    // Its own event is set aside, with the reason.
  }
}

/** Objects that the window changes, as they were before or are after it; other objects from the cache. */
const findIn = (
  changes: Window["changes"],
  related: RelatedRows,
  pick: (change: Window["changes"][number]) => Readable
): RelatedRows["find"] => {
  // Made when the first object of a type is shown: most windows show none.
  const picked = new Map<string, ReadonlyMap<number, Readable>>()
  const pickedOf = (id: string): ReadonlyMap<number, Readable> => {
    const known = picked.get(id)
    if (known !== undefined) return known
    const sound = changes.filter(({ type, last }) => type.id === id && last.unsafeId === undefined)
    const made = new Map(sound.map((change) => [change.last.id, pick(change)]))
    picked.set(id, made)
    return made
  }
  return (type, id) => pickedOf(type).get(id)?.row() ?? related.find(type, id)
}
