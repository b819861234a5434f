import { Schema } from "effect"

/**
 * Why capture stopped reading.
 *
 * - `Transport`: the connection failed. Again after a pause; nothing is lost, the slot keeps the WAL.
 * - `SlotActive`: another process streams the slot. Stand by and ask again.
 * - `Refused`: the server does not let us (privileges, settings). Again after a pause; somebody must change it.
 * - `SlotLost`: the slot cannot be streamed any more. A gap: raise an alarm and begin a new epoch.
 * - `EpochMismatch`: what was queued lies ahead of this database, so it is an older copy of it. Begin a new epoch.
 * - `Fenced`: another process leads since. Stand by.
 * - `Protocol`: the server sent what we do not understand. Never skip it: stop.
 */
export class CaptureError extends Schema.TaggedError<CaptureError>()("CaptureError", {
  reason: Schema.Literals(["Transport", "SlotActive", "Refused", "SlotLost", "EpochMismatch", "Fenced", "Protocol"]),
  message: Schema.String
}) {
  /** Whether the same may succeed later without anybody's help. */
  get mayRetry(): boolean {
    return this.reason !== "Protocol"
  }
}

/** The error itself if it is one of ours; anything else is a fault in our handling of what the server sent. */
export const asCaptureError = (error: unknown): CaptureError =>
  error instanceof CaptureError ? error : new CaptureError({ reason: "Protocol", message: String(error) })

/** The class of an error that Postgres reported, by SQLSTATE: texts differ between versions, codes do not. */
export const fromSqlState = (code: string, message: string): CaptureError => {
  const reason =
    code === "55006"
      ? "SlotActive"
      : code === "55000" || code === "42704"
        ? "SlotLost"
        : code.startsWith("57P") || code.startsWith("08")
          ? "Transport"
          : "Refused"
  return new CaptureError({ reason, message: `${message} (${code})` })
}
