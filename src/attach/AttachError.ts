import { Schema } from "effect"

/**
 * Why a NetBox' database cannot be read.
 *
 * - `Address`: the text is no address of a Postgres.
 * - `Unreachable`: no server answers there.
 * - `Login`: the server refuses the role, its password or the database.
 * - `Pooler`: a pooler answers, which takes no settings of sessions.
 * - `Refused`: the server refuses a statement.
 */
export class AttachError extends Schema.TaggedError<AttachError>()("AttachError", {
  reason: Schema.Literals(["Address", "Unreachable", "Login", "Pooler", "Refused"]),
  message: Schema.String
}) {}
