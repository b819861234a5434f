/**
 * An event of a source (source/Source.ts) as a message in the WAL of this database, so that it has a place among all
 * events here. Its body is complete: capture makes nothing of it but an event.
 *
 * Everybody who may connect to the database may write such a message. So ours are sealed with SECRET_KEY, and count only
 * in the transaction that wrote them: before the sealed text is a digest of the transaction's number, and of a random
 * text that is sealed with the event. The statement that writes the message adds the digest: no other one is needed.
 */
import { hash, randomBytes } from "node:crypto"
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

/** An event that is ready to be written. */
interface SealedEvent {
  readonly sealed: string
  /** Known to the writer alone. */
  readonly proof: string
}

const proofChars = 22
const digestChars = 64

export const sealRelayed = (event: RelayedEvent, seal: (text: string) => string): SealedEvent => {
  const proof = randomBytes(16).toString("base64url")
  return { sealed: seal(`${proof}${JSON.stringify(event)}`), proof }
}

/** SQL of the message, by SQL of both parts of a sealed event; it is of the transaction that runs it. */
export const relayedSql = (sealed: string, proof: string): string =>
  `encode(sha256(convert_to(${proof} || mod(pg_current_xact_id()::text::numeric, 4294967296)::text, 'UTF8')), 'hex') || ${sealed}`

/** The event in a message; undefined if it is not ours, or of another transaction. `xid`: the lower 32 bits of its number. */
export const relayedEvent = (
  message: string,
  open: (sealed: string) => string | undefined,
  xid: number
): RelayedEvent | undefined => {
  const text = open(message.slice(digestChars))
  if (text === undefined) return undefined
  const digest = hash("sha256", `${text.slice(0, proofChars)}${xid}`, "hex")
  if (digest !== message.slice(0, digestChars)) return undefined
  return JSON.parse(text.slice(proofChars)) as RelayedEvent
}
