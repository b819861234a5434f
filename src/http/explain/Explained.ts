/** Answers about webhooks that fired for a change or did not, as schemas. */
import { outcomes } from "../../history/log/Histogram.ts"
import { gates } from "../../match/Verdict.ts"
import { explanation } from "../declare/Explanation.ts"
import { described, flag, integer, listOf, optional, orNull, record, string, time, words } from "../declare/Parts.ts"

const fate = record({
  state: words("held", "unknown", ...outcomes),
  reason: described(string, "A sentence: why it waits, or the result of the last attempt."),
  delivery: optional(
    described(
      record({
        ...{ id: integer, delivery_id: string, status: words(...outcomes), attempts: integer },
        ...{ first_attempt: orNull(time), last_attempt: orNull(time), next_attempt: orNull(time) },
        ...{ response_status: orNull(integer), message: string }
      }),
      "The row of the delivery log; absent before the first attempt."
    )
  )
})

/** A webhook and one change. */
export const reckoned = record({
  webhook: record({ id: integer, url: string, display: string, name: string }),
  outcome: words("fired", "skipped", "undecided", "unknown"),
  gate: orNull(words(...gates)),
  reason: described(string, "A sentence; blank where it fired."),
  cause: described(string, "The part of the webhook that the event did not meet."),
  explanation: orNull(explanation),
  delivery: orNull(fate),
  deleted: optional(described(flag, "The webhook was deleted since."))
})

const named = record({
  ...{ object_change: integer, time, action: words("create", "update", "delete") },
  ...{ object_type: string, object_id: integer, display: string, reason: string }
})

const group = record({
  ...{ gate: string, cause: string, outcome: words("skipped", "undecided"), count: integer },
  ...{ last: time, first: time, examples: listOf(named) }
})

export const skips = record({
  sentence: string,
  ...{ seen: integer, fired: integer, skipped: integer, partial: flag, since: orNull(time) },
  ...{ groups: listOf(group), closest: orNull(named), enabled_since: orNull(time) }
})

const side = record({ count: integer, changes: listOf(named) })

export const past = record({
  since: time,
  ...{ changes: integer, partial: flag, fired: integer, saved: orNull(integer), gained: side, lost: side }
})
