import { Schema } from "effect"
import { SqlError } from "effect/sql"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { inWords } from "../telemetry/Telemetry.ts"

/**
 * Why capture stopped reading.
 *
 * - `Transport`: the connection failed. Try again after a pause; nothing is lost, since the slot keeps the WAL.
 * - `SlotActive`: another process streams the slot. Become a standby.
 * - `Refused`: the server refuses (privileges, settings). Try again after a pause; somebody must change it.
 * - `SlotLost`: the slot cannot be streamed any more. Changes may be missing: raise an alarm and begin a new epoch.
 * - `Undecodable`: before Postgres 18 the WAL of a time without our publication cannot be decoded. Skip it as a gap.
 * - `EpochMismatch`: Redis has positions that this database has not reached: it is an older copy. Begin a new epoch.
 * - `Fenced`: another process has taken the lead. Become a standby.
 * - `Protocol`: the server sent something unknown. Stop; never skip it.
 */
export class CaptureError extends Schema.TaggedError<CaptureError>()("CaptureError", {
  reason: Schema.Literals([
    "Transport",
    "SlotActive",
    "Refused",
    "SlotLost",
    "Undecodable",
    "EpochMismatch",
    "Fenced",
    "Protocol"
  ]),
  message: Schema.String,
  /** Code of an error that Postgres reported. */
  sqlState: Schema.optionalKey(Schema.String)
}) {
  /** Whether another try may succeed. */
  get mayRetry(): boolean {
    return this.reason !== "Protocol"
  }
}

/** A CaptureError as it is; another error is a defect in the handling of a message, so `Protocol`. */
export const asCaptureError = (error: unknown): CaptureError =>
  error instanceof CaptureError ? error : new CaptureError({ reason: "Protocol", message: String(error) })

/**
 * SQLSTATEs of a server that ends its sessions (57P01, 57P02) and takes no new ones (57P03). It cannot stop before its
 * walsenders have ended, and waits for them while something is not confirmed.
 */
const stopping: ReadonlySet<string | undefined> = new Set(["57P01", "57P02", "57P03"])

/** Whether an error says that Postgres stops: capture then ends its session, or Postgres could not stop. */
export const isServerStopping = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && stopping.has(sqlStateOf(error))

/** The end of a session because Postgres stops. */
export const serverStopping = (error: SqlError.SqlError): CaptureError =>
  new CaptureError({ reason: "Transport", message: `Postgres stops: ${inWords(error)}` })

/** The error for a report of Postgres, by SQLSTATE: texts differ between versions, codes do not. */
export const fromSqlState = (code: string, message: string): CaptureError => {
  const reason =
    code === "55006"
      ? "SlotActive"
      : code === "55000" || code === "42704"
        ? "SlotLost"
        : code.startsWith("57P") || code.startsWith("08")
          ? "Transport"
          : "Refused"
  return new CaptureError({ reason, message: `${message} (${code})`, sqlState: code })
}
