import { Schema } from "effect"

const texts = Schema.Array(Schema.String)
const byItem = Schema.Array(Schema.Union([texts, Schema.Record(Schema.String, Schema.Never)]))
const errors = Schema.Record(Schema.String, Schema.Union([texts, byItem, Schema.Record(Schema.String, texts)]))

/**
 * The input does not make a valid object. Aligned with the input: for a list, one entry per item, `{}` for good ones.
 */
export class WriteRefused extends Schema.TaggedError<WriteRefused>()("WriteRefused", {
  errors: Schema.Array(errors)
}) {}
