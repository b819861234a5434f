/** The parts of an actor that its reader and its attempts share. Each part alone changes its own state. */
import type { Effect } from "effect"
import type { SharedBreaker } from "../breaker/SharedBreaker.ts"
import type { ConnectedWebhook } from "../../webhook/Connected.ts"
import type { ActorMode } from "./ActorMode.ts"
import type { Gathering } from "../reading/Gathering.ts"
import type { InFlight } from "./InFlight.ts"
import type { Intake } from "./Intake.ts"
import type { Loops } from "./Loops.ts"

export interface ActorParts {
  readonly id: number
  readonly mode: ActorMode
  readonly webhook: ConnectedWebhook
  readonly breaker: SharedBreaker
  readonly inFlight: InFlight
  readonly intake: Intake
  readonly loops: Loops
  /** When its next batch is read. */
  readonly gathering: Gathering
  /** Reads the webhook's row anew, and follows it. */
  readonly refresh: Effect.Effect<void, { readonly message: string }>
  /** Wakes the reader for entries. */
  readonly wake: () => void
  /** Wakes the reader in so many milliseconds. */
  readonly lookIn: (millis: number) => void
  /** Wakes the reader for retries in so many milliseconds. */
  readonly dueIn: (millis: number) => void
}
