import { Schema } from "effect"

const errors = Schema.Record(Schema.String, Schema.Array(Schema.String))

/**
 * The input does not make a valid object. Aligned with the input: for a list, one entry per item, `{}` for good ones.
 */
export class WriteRefused extends Schema.TaggedError<WriteRefused>()("WriteRefused", {
  errors: Schema.Array(errors)
}) {}
