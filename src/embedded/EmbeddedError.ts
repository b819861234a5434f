import { Schema } from "effect"

/** Why a local server could not be had. The message names the place and what to do; none of them heals by itself. */
export class EmbeddedError extends Schema.TaggedError<EmbeddedError>()("EmbeddedError", {
  reason: Schema.Literals(["BinaryMissing", "DataDirectoryInUse", "DataDirectoryUnusable", "StartFailed"]),
  message: Schema.String
}) {}
