/** How a source is, in a sentence. Pure. */
import type { SourceProgress } from "../../history/source/SourceReading.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type Source from "../../inventory/types/extras/Source.ts"
import { durationText } from "../value/Duration.ts"

export interface SourceState {
  /** The colour of its dot. */
  readonly dot: "ok" | "warn" | "bad" | "off"
  readonly sentence: string
  /** The reason, or how to proceed; empty for none. */
  readonly note: string
}

/** The process that reads reports every second: one that is silent for longer than `silenceMillis` is lost. */
export const sourceState = (
  { enabled, status, status_note: note }: Pick<RowOf<typeof Source>, "enabled" | "status" | "status_note">,
  progress: SourceProgress | null,
  silenceMillis: number
): SourceState => {
  if (!enabled) {
    const kept = "Its slot keeps WAL on the server of the source until the source is enabled or detached."
    return { dot: "off", sentence: "Disabled: its changes are not read.", note: progress?.confirmedLsn ? kept : "" }
  }
  if (status === "failing") return { dot: "bad", sentence: "Failing: its changes are not read.", note }
  if (progress === null || progress.silentMillis === null || status !== "reading")
    return { dot: "warn", sentence: "Waiting: no process has begun to read it.", note }
  if (progress.silentMillis > silenceMillis) {
    const silence = durationText(progress.silentMillis)
    const next = "A process with the role capture takes over; System > Status lists the processes."
    return { dot: "bad", sentence: `No process has read it for ${silence}.`, note: next }
  }
  if (progress.problem !== "") return { dot: "warn", sentence: "Reading, with a problem.", note: progress.problem }
  return { dot: "ok", sentence: "Reading its changes.", note: "" }
}
