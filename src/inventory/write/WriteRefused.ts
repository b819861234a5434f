import { Schema } from "effect"
import { type Errors, type Messages, emptyRecord, textsIn } from "../Field.ts"
import type { Conflict } from "./Unique.ts"

const texts = Schema.Array(Schema.String)
const byItem = Schema.Array(Schema.Union([texts, Schema.Record(Schema.String, Schema.Never)]))
const errors = Schema.Record(Schema.String, Schema.Union([texts, byItem, Schema.Record(Schema.String, texts)]))

/**
 * The input does not make a valid object. Aligned with the input: for a list, one entry per item, `{}` for good ones.
 */
export class WriteRefused extends Schema.TaggedError<WriteRefused>()("WriteRefused", {
  errors: Schema.Array(errors)
}) {}

/** The refusal of a write of so many items, with the errors of each. */
export const refusing = (items: number, conflicts: ReadonlyArray<Conflict>) => {
  const byItem = Map.groupBy(conflicts, ({ at }) => at)
  return new WriteRefused({ errors: Array.from({ length: items }, (_, at) => merge(byItem.get(at) ?? [])) })
}

const merge = (conflicts: ReadonlyArray<Conflict>): Errors => {
  const errors = emptyRecord<Messages>()
  for (const conflict of conflicts) {
    for (const [name, messages] of Object.entries(conflict.errors)) {
      const before = errors[name]
      errors[name] = before === undefined ? messages : [...textsIn(before), ...textsIn(messages)]
    }
  }
  return errors
}
