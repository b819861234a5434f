/** The state of capture, for the status page and the metrics. */
import type { Effect } from "effect"
import { seconds, statusMetrics } from "../telemetry/StatusMetrics.ts"

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

statusMetrics("capture", {
  leads: { name: "rackwire_capture_leads", help: "1 if this process reads the write-ahead log.", symptom: "leader" },
  isPaused: {
    name: "rackwire_capture_paused",
    help: "1 while capture reads no more because the queue takes nothing.",
    symptom: "capturedLate"
  },
  lagMillis: {
    name: "rackwire_capture_lag_seconds",
    help: "From a commit until its events are stored, by heartbeat; of the process that leads.",
    symptom: "capturedLate",
    value: (millis, { leads }) => (leads === true ? seconds(millis) : undefined)
  },
  waitingBytes: {
    name: "rackwire_capture_waiting_bytes",
    help: "Data of the write-ahead log that was received and not confirmed.",
    symptom: "capturedLate"
  },
  generation: {
    name: "rackwire_capture_generation",
    help: "Number of the leader: it rises with every takeover.",
    symptom: "leader"
  },
  epoch: {
    name: "rackwire_capture_epoch",
    help: "Epoch of the positions: it rises when the database was restored or the slot was lost.",
    symptom: "leader"
  },
  takeoverMillis: {
    name: "rackwire_capture_takeover_seconds",
    help: "From the last sign of life of the leader before until this process led.",
    symptom: "leader",
    value: seconds
  },
  setAside: {
    name: "rackwire_changes_set_aside",
    help: "Changes of which no event could be made, until their rows are deleted.",
    symptom: "wrong"
  },
  gaps: { name: "rackwire_gaps", help: "Gaps in the captured changes that are not acknowledged.", symptom: "wrong" },
  events: { name: "rackwire_events_total", help: "Events captured by this process.", symptom: "capturedLate" },
  withoutContext: {
    name: "rackwire_transactions_without_context_total",
    help: "Transactions that named no author, since capture began to read.",
    symptom: "noAuthor"
  },
  unreadableContexts: {
    name: "rackwire_contexts_unreadable_total",
    help: "Context messages that could not be parsed, since capture began to read.",
    symptom: "noAuthor"
  }
})
