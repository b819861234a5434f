/**
 * What an entry holds: one line of JSON about the delivery, then the event's JSON text, untouched. The text of a long
 * event is left out: the change log has it, under the delivery's position, idx and time.
 */

export interface Delivery {
  /** Stable: the same through all attempts. */
  readonly id: string
  readonly webhook: number
  /** Of the change: epoch and commit LSN, decimal, and the message within the transaction. */
  readonly position: string
  readonly idx: number
  readonly event: "created" | "updated" | "deleted"
  readonly objectType: string
  readonly objectId: number
  readonly requestId: string
  /** Time of the commit, ISO 8601. */
  readonly time: string
  /** Attempts made so far. */
  readonly attempts: number
  /** Those of them that the retry schedule counts: a retry by hand begins it anew. */
  readonly spent: number
  /** Time of the first attempt that the schedule counts, milliseconds since 1970; 0 before it. */
  readonly firstAttempt: number
  /** Attempts for which the webhook's templates ran out of time; absent for none. */
  readonly overruns?: number
  /** The event as JSON text; empty for a long one, of which the entry tells the place in the change log alone. */
  readonly body: string
  /** Length of a body that is left out, characters. */
  readonly chars?: number
  /** Objects that such a body shows by id alone, each as its type and id; absent for none. */
  readonly hidden?: ReadonlyArray<string>
}

/** Longest body that an entry holds, characters: each webhook's entry would hold it again. */
export const inlineCharsMax = 16 * 1024

/** What an entry holds of an event's JSON text, in which these objects are shown by id alone. */
export const bodyFields = (
  text: string,
  hidden: ReadonlyArray<string> = []
): Pick<Delivery, "body" | "chars" | "hidden"> => {
  if (text.length <= inlineCharsMax) return { body: text }
  return { body: "", chars: text.length, ...(hidden.length > 0 && { hidden }) }
}

export const deliveryId = (webhook: number, position: string, idx: number): string => `${webhook}-${position}-${idx}`

export const pack = ({ body, ...head }: Delivery): string => `${JSON.stringify(head)}\n${body}`

export const unpack = (text: string): Delivery => {
  const line = text.indexOf("\n")
  return { ...(JSON.parse(text.slice(0, line)) as Omit<Delivery, "body">), body: text.slice(line + 1) }
}
