/**
 * An event: the change of one object in one transaction. Capture makes events from the write-ahead log (CapturedEvent.ts) and
 * keeps them in the change log, from which they can be read again (LoggedEvent.ts): both give the same event.
 */
import type { Kind } from "./Kind.ts"
import type { Position } from "./Position.ts"
import { bareType } from "./SourceType.ts"

/** The facts of an event that a source (an attached NetBox) has recorded. */
export interface SourceFacts {
  /** Name of the source. */
  readonly name: string
  /** Id of the change there: of the last one, if several were folded. */
  readonly change: string
  /** When it was made, as the source recorded it: ISO 8601. */
  readonly time: string
  /** Where `data` is from. */
  readonly data: DataOrigin
  /** Why `data` is not from the API though the source has one; absent otherwise. */
  readonly problem?: string | undefined
}

/**
 * - `api`: the object as the API of the source showed it after this change, and before any later one.
 * - `newer`: the same after a later change.
 * - `last`: a deleted object as it was known last.
 * - `snapshot`: made of the snapshot.
 */
export type DataOrigin = "api" | "newer" | "last" | "snapshot"

export interface Event extends Position {
  readonly kind: Kind
  /** `dcim.site`; `3:dcim.site` for an event of the source 3 (SourceType.ts). */
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
  /** Absent for an event of the inventory. */
  readonly source?: SourceFacts | undefined
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

/** When the change was made, ISO 8601: events of a source are committed here later. */
const timeOf = ({ timestamp, source }: Head): string => source?.time ?? timestamp

/** The facts of an event beside its object: conditions read them under `context.`. */
export const contextOf = (event: Head) => ({
  event: event.kind,
  timestamp: timeOf(event),
  model: modelOf(event.objectType),
  object_type: bareType(event.objectType),
  username: event.username,
  request_id: event.requestId,
  request: requestOf(event) ?? null,
  message: event.message ?? "",
  ...(event.source !== undefined && { source: event.source })
})

const modelOf = (objectType: string): string => objectType.slice(objectType.indexOf(".") + 1)

/** The event as JSON text: the default body of a delivery. */
export const eventBody = (event: Head & Pick<Event, "json">): string => {
  const head = JSON.stringify({
    event: event.kind,
    timestamp: timeOf(event),
    model: modelOf(event.objectType),
    username: event.username,
    request_id: event.requestId
  })
  const { data, prechange, postchange } = event.json
  const source = event.source === undefined ? "" : `,"source":${JSON.stringify(event.source)}`
  return `${head.slice(0, -1)},"data":${data},"snapshots":{"prechange":${prechange},"postchange":${postchange}}${source}}`
}
