/** The schema of the properties that one delivery has beside its fields. */
import { described, integer, listOf, number, optional, orNull, record, string, time, words } from "../declare/Parts.ts"

export const headers = listOf(record({ name: string, value: string }))

const phase = optional(number)

const attempt = record({
  ...{ number: integer, started: time, duration_ms: integer },
  phases: described(
    orNull(record({ dns: phase, connect: phase, tls: phase, firstByte: phase, body: phase })),
    "Milliseconds."
  ),
  ...{ url: string, request_headers: headers, response_status: orNull(integer), response_headers: headers },
  response_body: described(string, "Its beginning."),
  ...{ reason: string, message: string }
})

const stage = record({
  stage: words("committed", "captured", "matched", "queued", "attempted", "next", "ended"),
  state: words("done", "failed", "waiting"),
  time: orNull(time),
  after_ms: described(orNull(integer), "Milliseconds since the commit."),
  text: string,
  attempt: orNull(integer)
})

const held = record({
  by: words("breaker", "pause", "disabling", "sending"),
  until: orNull(time),
  sentence: string
})

const neighbours = record({ previous: orNull(integer), next: orNull(integer) })

export const deliveryDetail = record({
  attempt_log: listOf(attempt),
  held: described(orNull(held), "The reason why it is not attempted although it is due."),
  change: described(orNull(integer), "Id of the change that it reports."),
  journey: listOf(stage),
  beside: described(record({ webhook: neighbours, object: neighbours }), "Deliveries before and after it.")
})
