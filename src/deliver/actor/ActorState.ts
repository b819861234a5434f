/** The state of an actor that its reader and its attempts share. */
import type { Effect } from "effect"
import type { SharedBreaker } from "../breaker/SharedBreaker.ts"
import type { Stall } from "../../eventloop/Stall.ts"
import type { ConnectedWebhook } from "../../webhook/Connected.ts"
import type { Gathering } from "./Gathering.ts"
import type { InFlight } from "./InFlight.ts"
import type { Intake } from "./Intake.ts"
import type { Loops } from "./Loops.ts"
import type { ReadAhead } from "./ReadAhead.ts"

export interface ActorState {
  readonly id: number
  readonly webhook: ConnectedWebhook
  readonly breaker: SharedBreaker
  readonly inFlight: InFlight
  readonly intake: Intake
  readonly loops: Loops
  /** Whether the last read gave all that it asked for. */
  hasMore: boolean
  /** Whether a read is under way beside the attempts. */
  isReadingAhead: boolean
  /** Whether there may be entries that do not wait for an open breaker. */
  mayBeUrgent: boolean
  /** The receiver answered that it wants no more. The row is disabled by then, or is about to be. */
  isGone: boolean
  /** Whether it waits for a share of what the process may hold. */
  awaitsShare: boolean
  /** For how long its entries cannot be read. */
  readonly reads: Stall
  /** Reads the webhook's row anew, and follows it. */
  readonly refresh: Effect.Effect<void, { readonly message: string }>
  /** The latest change of the row for which it was read anew, milliseconds since 1970. */
  refreshed: number
  /** Makes the reader look for entries. */
  readonly wake: () => void
  /** Makes it look in so many milliseconds. */
  readonly lookIn: (millis: number) => void
  /** Makes the reader look for retries in so many milliseconds. */
  readonly dueIn: (millis: number) => void
  /** When its next batch is read. */
  readonly gathering: Gathering
  /** How many entries its next read asks for. */
  readonly readAhead: ReadAhead
}
