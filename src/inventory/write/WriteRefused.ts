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
  return shortened(errors)
}

/** Most faults of a field that are reported, and most characters of a message, which may repeat what was sent. */
const faultsMax = 20
const messageCharsMax = 500

/** The reported errors of an object; further errors of a field are counted. */
export const shortened = (errors: Errors): Errors =>
  Object.fromEntries(Object.entries(errors).map(([name, messages]) => [name, shortMessages(messages)]))

export const shortMessage = (text: string): string =>
  text.length > messageCharsMax ? `${text.slice(0, messageCharsMax)}…` : text

const shortMessages = (messages: Messages): Messages => {
  const all = Object.entries<string | Messages>(messages)
  const faulty = all.flatMap(([, each], at) => (Object.keys(each).length === 0 ? [] : [at]))
  const told = faulty.length > faultsMax ? all.slice(0, faulty[faultsMax]) : all
  const short = told.map(([at, each]) => [at, typeof each === "string" ? shortMessage(each) : shortMessages(each)])
  const more = `And ${faulty.length - faultsMax} more.`
  if (!Array.isArray(messages)) {
    return Object.fromEntries(told.length < all.length ? [...short, ["non_field_errors", [more]]] : short) as Messages
  }
  const list = short.map(([, each]) => each)
  if (told.length < all.length) list.push(typeof all[0]?.[1] === "string" ? more : [more])
  return list as Messages
}
