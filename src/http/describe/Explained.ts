/** The endpoints that explain changes, for the description of the API. Pure. */
import { gates } from "../../match/Verdict.ts"
import {
  type Endpoints,
  described,
  flag,
  integer,
  listOf,
  orNull,
  pageOf,
  parameter,
  record,
  schema,
  string,
  time,
  words
} from "./JsonSchema.ts"

const page = [
  parameter("limit", integer, "Most results; 0 for as many as there may be."),
  parameter("offset", integer, "")
]
const attempt = record({
  delivery_id: string,
  number: integer,
  started: time,
  duration_ms: integer,
  response_status: orNull(integer),
  reason: string
})

const fate = record(
  {
    state: words("queued", "held", "sending", "retrying", "successful", "failed", "discarded", "unknown"),
    reason: string
  },
  { delivery: described({ type: "object" }, "The row of the delivery log; absent before the first attempt.") }
)

const reckoned = record(
  {
    webhook: schema("Brief"),
    outcome: words("fired", "skipped", "undecided", "unknown"),
    gate: orNull(words(...gates)),
    reason: described(string, "A sentence; blank where it fired."),
    cause: described(string, "What the webhook asks for and did not get."),
    explanation: described(orNull({ type: "object" }), "The condition with the outcome and the value of each clause."),
    delivery: orNull(fate)
  },
  { deleted: described(flag, "The webhook was deleted since.") }
)

const named = record({
  object_change: integer,
  time,
  action: words("create", "update", "delete"),
  object_type: string,
  object_id: integer,
  display: string,
  reason: string
})

const group = record({
  gate: string,
  cause: string,
  outcome: words("skipped", "undecided"),
  count: integer,
  last: time,
  first: time,
  examples: listOf(named)
})

const side = record({ count: integer, changes: listOf(named) })

const transaction = {
  url: string,
  position: string,
  lsn: string,
  time,
  request_id: string,
  user_name: string,
  request: orNull(record({ method: string, path: string }, { token: integer, traceparent: string })),
  xid: orNull(integer),
  changes: integer
}

const delivery = record({
  id: integer,
  delivery_id: string,
  webhook: integer,
  idx: integer,
  status: string,
  next_attempt: orNull(time),
  response_status: orNull(integer),
  message: string,
  attempts: listOf(attempt)
})

const conditions = described({}, "A condition document; null or {} for every event.")

/** By path and method. */
export const explained: Endpoints = {
  "/api/extras/object-changes/:id/explain/": {
    get: {
      summary: "Which webhooks fired for a change, which did not, and why, as of its commit",
      parameters: page,
      answer: pageOf(reckoned, { lsn: orNull(string), position: string, partial: flag })
    }
  },
  "/api/extras/webhooks/:id/skipped/": {
    get: {
      summary: "The latest changes for which a webhook did not fire, by what failed, and the closest miss",
      parameters: [parameter("limit", integer, "Most changes that are asked.")],
      answer: record({
        sentence: string,
        ...{ seen: integer, fired: integer, skipped: integer, partial: flag, since: orNull(time) },
        groups: listOf(group),
        closest: orNull(named),
        enabled_since: orNull(time)
      })
    }
  },
  "/api/extras/webhooks/history/": {
    post: {
      summary: "How often a webhook would have fired in the last 24 hours with other conditions, types or kinds",
      body: {
        type: "object",
        properties: {
          webhook: described(integer, "The webhook to compare with; absent fields are as it has them."),
          conditions,
          ...{ content_types: listOf(string), type_create: flag, type_update: flag, type_delete: flag }
        }
      },
      answer: record({
        since: time,
        ...{ changes: integer, partial: flag, fired: integer, saved: orNull(integer), gained: side, lost: side }
      })
    }
  },
  "/api/extras/journeys/": {
    get: {
      summary: "Transactions of what is named, or the latest ones; newest first",
      parameters: [
        parameter("lsn", string, "The last commit at or before this LSN."),
        parameter("request_id", string, "A request."),
        parameter("xid", string, "The number of a transaction in Postgres, with or without its epoch."),
        parameter("change", integer, "The id of a change."),
        parameter("delivery", string, "The id of a delivery: of its row, or its delivery_id.")
      ],
      answer: pageOf(record(transaction))
    }
  },
  "/api/extras/journeys/:position/": {
    get: {
      summary: "One transaction, from its changes over the webhooks that listen to them to the answers",
      parameters: page,
      answer: pageOf(
        record({ change: { type: "object" }, asked: integer, fired: integer, webhooks: listOf(reckoned) }),
        {
          ...transaction,
          partial: flag,
          deliveries: orNull(listOf(delivery))
        }
      )
    }
  }
}
