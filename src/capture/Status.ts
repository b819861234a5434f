/** The state of capture, for the status page and the metrics. */
import type { Effect } from "effect"

export interface CaptureStatus {
  readonly state: "starting" | "streaming" | "paused" | "standby" | "waiting" | "stopped"
  /** Whether the consumer accepts no events, so that no more WAL is read: `problem` says why. */
  readonly isPaused: boolean
  /** Whether this process reads the slot. */
  readonly leads: boolean
  /** How long this process took to take the lead, from the last sign of the leader before, milliseconds. */
  readonly takeoverMillis: number
  readonly epoch: number
  readonly generation: number
  /** LSNs: received from the server, and confirmed to it. */
  readonly received: string
  readonly confirmed: string
  /** WAL data received and not confirmed, bytes. */
  readonly waitingBytes: number
  /** From a commit until its events are stored, milliseconds. */
  readonly lagMillis: number
  readonly events: number
  /** Transactions without a context, which would name the author. */
  readonly withoutContext: number
  /** Context messages that could not be parsed. */
  readonly unreadableContexts: number
  /** Changes that are set aside, until somebody deletes their rows (SetAside.ts). */
  readonly setAside: number
  /** Gaps that nobody has acknowledged, and the latest one as a sentence (slot/Gaps.ts). */
  readonly gaps: number
  readonly gap: string
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
  gaps: 0,
  gap: "",
  problem: ""
}

/** Changes the status. */
export type Report = (change: (before: CaptureStatus) => Partial<CaptureStatus>) => Effect.Effect<void>
