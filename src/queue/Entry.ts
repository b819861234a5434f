/**
 * An entry of a stream, and how a delivery is written to it and read from it.
 *
 * The text of an entry is one line of JSON about the delivery, then the event's JSON text as it is. A long event's text
 * is left out: the change log has it, under the delivery's position, idx and time.
 */
import type { Delivery } from "../event/Delivery.ts"

export const pack = ({ body, ...head }: Delivery): string => `${JSON.stringify(head)}\n${body}`

export const unpack = (text: string): Delivery => {
  const line = text.indexOf("\n")
  return { ...(JSON.parse(text.slice(0, line)) as Omit<Delivery, "body">), body: text.slice(line + 1) }
}

/** The streams of a webhook, in the order in which they are read. */
export const streams = ["urgent", "again", "queue"] as const

/** A delivery as it is stored in a stream. */
export interface Entry {
  readonly stream: (typeof streams)[number]
  readonly entryId: string
  readonly delivery: Delivery
  /** Whether others of its object wait for it. */
  readonly ordered: boolean
  /** When this process last renewed its lease, by `performance.now()`; set by the reader. */
  leasedSince?: number
}

/** The state of an entry after its attempt: it is done, or its delivery is delayed. */
export interface Settlement {
  readonly entry: Entry
  readonly later?: Delay | undefined
}

/** A delivery that is due again in so many milliseconds. */
export interface Delay {
  readonly delayMillis: number
  readonly delivery: Delivery
}

/** An entry as Redis replies it: its one field `d` is the packed delivery. */
export type RawEntry = readonly [entryId: string, fields: ReadonlyArray<string>]

export const entriesOf = (
  stream: Entry["stream"],
  raw: ReadonlyArray<RawEntry>,
  ordered: boolean
): ReadonlyArray<Entry> =>
  raw.map(([entryId, fields]) => ({
    stream,
    entryId,
    delivery: unpack(fields[1]!),
    ordered,
    leasedSince: Number.NEGATIVE_INFINITY
  }))
