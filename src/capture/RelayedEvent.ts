/**
 * An event of a source (source/Source.ts) as a message in the WAL of this database, so that it has a place among all
 * events here. Its body is complete: capture makes nothing of it but an event.
 *
 * Everybody who may connect to the database may write such a message. So ours are sealed with SECRET_KEY, and count only
 * in the transaction for which they were made.
 */
import type { Event, SourceFacts } from "../event/Event.ts"
import type { Kind } from "../event/Kind.ts"

export const relayedPrefix = "rackwire:event:v1"

/** An event without its place and the time of its commit here. */
export interface RelayedEvent {
  /** `3:dcim.site` (event/SourceType.ts). */
  readonly objectType: string
  readonly objectId: number
  readonly kind: Kind
  readonly display: string
  readonly username: string
  /** A UUID. */
  readonly requestId: string
  readonly message?: string | undefined
  readonly source: SourceFacts
  readonly json: Event["json"]
}

interface RelayMessage extends RelayedEvent {
  /** The lower 32 bits of the transaction's number. */
  readonly xid: number
}

/** The message before it is sealed. */
export const relayedText = (event: RelayedEvent, xid: number): string =>
  JSON.stringify({ ...event, xid } satisfies RelayMessage)

/** The event in a message that was opened; undefined if it is not of this transaction. */
export const relayedEvent = (text: string | undefined, xid: number): RelayedEvent | undefined => {
  if (text === undefined) return undefined
  // Sealed: we wrote it.
  const { xid: its, ...event } = JSON.parse(text) as RelayMessage
  return its === xid ? event : undefined
}
