import { Schema } from "effect"

/** A local server cannot be started. The message says where and what to do; a retry does not help. */
export class EmbeddedError extends Schema.TaggedError<EmbeddedError>()("EmbeddedError", {
  reason: Schema.Literals(["BinaryMissing", "DataDirectoryInUse", "DataDirectoryUnusable", "StartFailed"]),
  message: Schema.String
}) {}
