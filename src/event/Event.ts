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
  /** The request that made the change; absent for plain SQL. */
  readonly request?:
    | {
        readonly method: string
        readonly path: string
        readonly traceparent?: string | undefined
        readonly chain?: ReadonlyArray<number> | undefined
      }
    | undefined
  /** Why its author made the change; absent where nothing is said. */
  readonly message?: string | undefined
  /** JSON texts: how the object is represented, and its snapshots before and after; a snapshot may be `null`. */
  readonly json: { readonly data: string; readonly prechange: string; readonly postchange: string }
}

/** An event without its object. */
type Head = Omit<Event, keyof Position | "objectId" | "json">

/** The request of a change as conditions and templates see it. */
export interface RequestContext {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly user: string
}

/** Undefined for plain SQL. */
export const requestOf = ({ requestId, username, request }: Head): RequestContext | undefined =>
  request && { id: requestId, method: request.method, path: request.path, user: username }

/** The facts of an event beside its object: conditions read them under `context.`. */
export const contextOf = (event: Head) => ({
  event: event.kind,
  timestamp: event.timestamp,
  model: modelOf(event.objectType),
  object_type: event.objectType,
  username: event.username,
  request_id: event.requestId,
  request: requestOf(event) ?? null,
  message: event.message ?? ""
})

const modelOf = (objectType: string): string => objectType.slice(objectType.indexOf(".") + 1)

/** The event as JSON text: the default body of a delivery. */
export const eventBody = (event: Head & Pick<Event, "json">): string => {
  const head = JSON.stringify({
    event: event.kind,
    timestamp: event.timestamp,
    model: modelOf(event.objectType),
    username: event.username,
    request_id: event.requestId
  })
  const { data, prechange, postchange } = event.json
  return `${head.slice(0, -1)},"data":${data},"snapshots":{"prechange":${prechange},"postchange":${postchange}}}`
}
