/** When the deliveries of a batch are read. */
import type { BatchPolicy } from "../inventory/types/extras/WebhookBatch.ts"

/** The state that decides whether a batch is read. */
interface BatchState {
  readonly nowMillis: number
  /** When there was something to read first, by the same clock. */
  readonly sinceMillis: number
  /** Deliveries that nobody has read. */
  readonly unread: number
}

/** In how many milliseconds a batch is read: at once if it is full, or if the deliveries have waited long enough. */
export const gatherMillis = ({ size, millis }: BatchPolicy, { nowMillis, sinceMillis, unread }: BatchState): number =>
  unread >= size ? 0 : Math.max(sinceMillis + millis - nowMillis, 0)
