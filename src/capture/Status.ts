/** How capture is, for those who look. */
import type { Effect } from "effect"

export interface CaptureStatus {
  readonly state: "starting" | "streaming" | "paused" | "standby" | "waiting" | "stopped"
  /** Whether events cannot be handed on, so that no more WAL is read: `problem` says why. */
  readonly isPaused: boolean
  /** Whether it is this process that reads. */
  readonly leads: boolean
  /** When this process took the lead last: time since the last sign of the one before, milliseconds. */
  readonly takeoverMillis: number
  readonly epoch: number
  readonly generation: number
  /** LSNs: received from the server, and confirmed to it. */
  readonly received: string
  readonly confirmed: string
  /** WAL data received and not confirmed, bytes. */
  readonly waitingBytes: number
  /** From a commit to its being kept for good, milliseconds. */
  readonly lagMillis: number
  readonly events: number
  /** Transactions that named no author. */
  readonly withoutContext: number
  /** Messages in the place of a context that could not be read as one. */
  readonly unreadableContexts: number
  /** Changes that no event could be made of, until somebody deletes their rows (SetAside.ts). */
  readonly setAside: number
  /** Why it is not streaming. */
  readonly problem: string
}

export const atFirst: CaptureStatus = {
  state: "starting",
  isPaused: false,
  leads: false,
  takeoverMillis: 0,
  epoch: 0,
  generation: 0,
  received: "0/0",
  confirmed: "0/0",
  waitingBytes: 0,
  lagMillis: 0,
  events: 0,
  withoutContext: 0,
  unreadableContexts: 0,
  setAside: 0,
  problem: ""
}

/** Tells what has changed. */
export type Report = (change: (before: CaptureStatus) => Partial<CaptureStatus>) => Effect.Effect<void>
