/**
 * Why a source is not read now. Reading is tried again after a pause; nothing is lost meanwhile, since the slot keeps the
 * WAL, or the change table its rows.
 *
 * - `NotNetBox`: the database has no change table.
 * - `Refused`: the server refuses (privileges, settings); somebody must change it.
 * - `WalLimit`: the server kept too much WAL for the slot: the slot was dropped.
 * - `Restored`: the database is an older copy than was read: it is compared with the events first.
 * - `Secret`: the database URL was sealed with a key that is lost.
 */
import { Data } from "effect"

export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly reason: "NotNetBox" | "Refused" | "WalLimit" | "Restored" | "Secret"
  readonly message: string
}> {}
