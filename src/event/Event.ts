/**
 * An event: the change of one object in one transaction. Capture makes events from the write-ahead log (CapturedEvent.ts) and
 * keeps them in the change log, from which they can be read again (LoggedEvent.ts): both give the same event.
 */
import type { Kind } from "./Kind.ts"
import type { Position } from "./Position.ts"

export interface Event extends Position {
  readonly kind: Kind
  /** `dcim.site` */
  readonly objectType: string
  readonly objectId: number
  /** Time of the commit, ISO 8601. */
  readonly timestamp: string
  readonly username: string
  /** A UUID. */
  readonly requestId: string
  /** JSON texts: how the object is represented, and its snapshots before and after; a snapshot may be `null`. */
  readonly json: { readonly data: string; readonly prechange: string; readonly postchange: string }
}

/** The event as JSON text: the default body of a delivery, and the context of its templates. */
export const eventBody = (event: Omit<Event, keyof Position | "objectId">): string => {
  const head = JSON.stringify({
    event: event.kind,
    timestamp: event.timestamp,
    model: event.objectType.slice(event.objectType.indexOf(".") + 1),
    username: event.username,
    request_id: event.requestId
  })
  const { data, prechange, postchange } = event.json
  return `${head.slice(0, -1)},"data":${data},"snapshots":{"prechange":${prechange},"postchange":${postchange}}}`
}
