/** The explanation of a condition, as answers have it. */
import { Schema } from "effect"
import type { Explanation } from "../../match/Explanation.ts"
import { flag, listOf, optional, record, string, words } from "./Parts.ts"

const several = listOf(Schema.suspend((): Schema.Codec<Explanation> => explanation))

export const explanation: Schema.Codec<Explanation> = record({
  outcome: words("holds", "fails", "invalid", "skipped", "hidden"),
  ...{ attr: optional(string), op: optional(string), value: optional(Schema.Unknown), negate: optional(flag) },
  ...{ and: optional(several), or: optional(several), reason: optional(string) },
  ...{ actual: optional(Schema.Unknown), before: optional(Schema.Unknown), after: optional(Schema.Unknown) }
}).annotate({
  identifier: "Explanation",
  description: "The condition with the outcome of each clause, and the value that it read."
})
