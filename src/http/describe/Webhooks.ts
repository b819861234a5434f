/** The endpoints that act on webhooks and on many deliveries, and that try webhooks out. Pure. */
import { healthStates } from "../../history/health/WebhookHealth.ts"
import { keepChoices } from "../../requests/Resume.ts"
import { overlapHoursMax } from "../../requests/Rotate.ts"
import {
  type Endpoints,
  type Json,
  described,
  flag,
  integer,
  listOf,
  number,
  object,
  orNull,
  pageOf,
  record,
  schema,
  string,
  time,
  words
} from "./JsonSchema.ts"

/** The body of a request; only some of its properties must be there. */
const body = (properties: Json, ...required: ReadonlyArray<string>): Json => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required })
})

const span = {
  since: time,
  attempts: integer,
  delivered: integer,
  failed: integer,
  p50_ms: orNull(number),
  p95_ms: orNull(number)
}

const health = {
  webhook: integer,
  state: words(...healthStates),
  needs_look: described(flag, "It is failing, or healthy and in trouble: its breaker is open, or attempts fail."),
  sentence: described(string, "How it is, in words."),
  waiting: described(integer, "Deliveries that are queued, sent or retried."),
  breaker: orNull(record({ opened: time, until: time, reason: string })),
  last_attempt: orNull(time),
  last_answer: described(orNull(string), "The status of the last answer, or why there was none."),
  attempts: described(integer, "Of the last 24 hours, as the following numbers."),
  ...{ delivered: integer, delivered_at_once: integer, failed: integer },
  ...{ p50_ms: orNull(number), p95_ms: orNull(number), p99_ms: orNull(number) },
  commit_to_receipt_p95_ms: orNull(number),
  hours: listOf(record(span))
}

const fault = {
  ...body({ field: string, message: string, line: integer, column: integer, snippet: string }, "field", "message")
}

const trial = record({
  object_change: described(orNull(integer), "The change that was tried; null for an event of the request."),
  fires: flag,
  gate: described(orNull(string), "What stood in the way."),
  reason: string,
  explanation: described(orNull(object), "The condition with the outcome and the value of each clause."),
  request: record({ method: string, url: orNull(string), headers: orNull(object), body: orNull(string) }),
  faults: listOf(fault)
})

const selection = body({
  filter: described(object, "Filters of the list of deliveries, by name."),
  all: described(flag, "Act on all deliveries; without it a filter that matches every delivery is refused."),
  dry_run: described(flag, "Count only.")
})

const failure = record({
  ...{ webhook: integer, webhook_name: orNull(string), status: words("failed", "retrying") },
  ...{ reason: string, response_status: orNull(integer), count: integer, first: time, last: time, host: string },
  example: described(integer, "The id of the latest delivery."),
  message: string,
  changed_before: described(orNull(object), "The last change of the webhook on the day before the first failure.")
})

const operation = schema("ExtrasOperation")

/** The names of the schemas, and the schemas. */
export const webhookSchemas: Json = {
  OperationDetail: {
    ...record({
      report: described(
        orNull(
          record({
            sent: described(integer, "Attempted since the operation was asked for."),
            accepted: described(integer, "Of these, accepted by the receiver."),
            held: described(integer, "Held by a circuit breaker or a pause."),
            waiting: described(integer, "About to be attempted."),
            gone: described(integer, "Their webhook or their event is gone."),
            changed: described(integer, "Attempted or changed by others before their turn.")
          })
        ),
        "What became of the deliveries of a retry; null for other actions."
      )
    }),
    additionalProperties: true
  }
}

/** By path and method. */
export const describedWebhooks: Endpoints = {
  "/api/extras/webhooks/:id/pause/": {
    post: { summary: "Pause a webhook: its deliveries wait", isBodyOptional: true, answer: schema("ExtrasWebhook") }
  },
  "/api/extras/webhooks/:id/resume/": {
    post: {
      summary: "Resume a paused webhook, with all deliveries of the pause, the newest of each object, or none",
      body: body({ keep: { ...words(...keepChoices), default: "all" } }),
      isBodyOptional: true,
      status: 202,
      answer: operation
    }
  },
  "/api/extras/webhooks/:id/replay/": {
    post: {
      summary: "Send the events of a time again that the webhook accepts as it is now",
      body: body({ since: time, until: described(time, "Without it now."), dry_run: flag }, "since"),
      status: 202,
      answer: schema("ExtrasReplay")
    }
  },
  "/api/extras/webhooks/:id/probe/": {
    post: {
      summary: "Attempt a delivery now although the circuit breaker is open; 409 where it is not",
      isBodyOptional: true,
      status: 202,
      answer: record(health)
    }
  },
  "/api/extras/webhooks/:id/rotate/": {
    post: {
      summary: "Give the webhook a new secret; the answer shows it this once",
      body: body({
        secret: described(string, "Without it one is made."),
        overlap_hours: described(
          { type: "number", minimum: 0, maximum: overlapHoursMax },
          "How long the old one stays valid."
        )
      }),
      isBodyOptional: true,
      answer: record({ secret: string, overlap_hours: number })
    }
  },
  "/api/extras/webhooks/:id/test/": {
    post: {
      summary: "Send a past change to the webhook, whatever its conditions say",
      body: body({ object_change: described(integer, "Without it the latest change of its object types.") }),
      isBodyOptional: true,
      status: 202,
      answer: schema("ExtrasDelivery")
    }
  },
  "/api/extras/webhooks/health/": {
    get: {
      summary: "How webhooks are, by the filters of their list",
      answer: pageOf(record(health))
    }
  },
  "/api/extras/webhooks/:id/health/": {
    get: {
      summary: "How a webhook is, with its last 24 hours",
      answer: record({ ...health, spans: listOf(record(span)) })
    }
  },
  "/api/extras/webhooks/trial/": {
    post: {
      summary: "The result of a webhook with these fields for a past change or an event; nothing is saved or sent",
      body: {
        allOf: [
          schema("PatchedExtrasWebhookRequest"),
          body({
            object_change: described(integer, "Without it the latest change of the object types."),
            event: described(object, "An event as a receiver gets it, in place of a change.")
          })
        ]
      },
      answer: trial
    }
  },
  "/api/extras/webhooks/render/": {
    post: {
      summary: "Render a template of a webhook's body or headers",
      body: body(
        {
          template: described(string, "Blank for the default body."),
          headers: string,
          context: described(object, "Without it an event of a sample."),
          template_engine: {
            ...described(string, "jinja, liquid or nunjucks, or that of another plugin."),
            default: "jinja"
          }
        },
        "template"
      ),
      answer: record({ output: string, headers: object })
    }
  },
  "/api/extras/webhooks/match/": {
    post: {
      summary: "Whether an object meets conditions, clause by clause",
      body: body({ conditions: orNull(object), data: object, snapshots: orNull(object), context: object }, "data"),
      answer: record({ matches: flag, explanation: orNull(object) })
    }
  },
  "/api/extras/deliveries/retry/": {
    post: { summary: "Retry many deliveries", body: selection, status: 202, answer: operation }
  },
  "/api/extras/deliveries/discard/": {
    post: { summary: "Give many deliveries up", body: selection, status: 202, answer: operation }
  },
  "/api/extras/deliveries/failures/": {
    get: {
      summary: "Deliveries that failed or are retried, by cause, with the filters of their list",
      answer: pageOf(failure)
    }
  },
  "/api/extras/operations/:id/": {
    get: {
      summary: "One operation, with what became of its deliveries",
      answer: { allOf: [operation, schema("OperationDetail")] }
    }
  },
  "/api/extras/operations/:id/cancel/": {
    post: { summary: "Stop an operation; what it has done stays done", isBodyOptional: true, answer: operation }
  }
}
