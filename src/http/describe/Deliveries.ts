/** The descriptions of one delivery with its attempts, and of the request of an attempt. Pure. */
import { languages } from "../../history/inspect/snippet/Snippets.ts"
import { actedOnMax } from "../../requests/WaitingActions.ts"
import { objectType } from "../../inventory/Registry.ts"
import {
  type Endpoints,
  type Json,
  flag,
  integer,
  listOf,
  number,
  orNull,
  record,
  schema,
  string,
  time,
  words
} from "./JsonSchema.ts"

const { path } = objectType("extras.delivery")
const headers = listOf(record({ name: string, value: string }))

const attempt = record({
  number: integer,
  started: time,
  duration_ms: integer,
  phases: orNull({
    type: "object",
    properties: { dns: number, connect: number, tls: number, firstByte: number, body: number }
  }),
  url: string,
  request_headers: headers,
  response_status: orNull(integer),
  response_headers: headers,
  response_body: { ...string, description: "Its beginning." },
  reason: string,
  message: string
})

const stage = record({
  stage: words("committed", "captured", "matched", "queued", "attempted", "next", "ended"),
  state: words("done", "failed", "waiting"),
  time: orNull(time),
  after_ms: { ...orNull(integer), description: "Milliseconds since the commit." },
  text: string,
  attempt: orNull(integer)
})

const neighbours = record({ previous: orNull(integer), next: orNull(integer) })

/** Properties of one delivery beside its fields. */
const detail: Json = {
  ...record({
    attempt_log: listOf(attempt),
    held: {
      ...orNull(
        record({ by: words("breaker", "pause", "disabling", "sending"), until: orNull(time), sentence: string })
      ),
      description: "The reason why it is not attempted although it is due."
    },
    change: { ...orNull(integer), description: "Id of the change that it tells of." },
    journey: listOf(stage),
    beside: { ...record({ webhook: neighbours, object: neighbours }), description: "Deliveries before and after it." }
  }),
  additionalProperties: true
}

const secrets = { ...orNull(words("current", "previous")), description: "The secret that gives it for this body." }

const asked = {
  body_now: { ...orNull(string), description: "With `now`: what the webhook as it is now would send." },
  problem_now: { ...string, description: "Why there would be no body now." }
}

const sentRequest = record({
  attempt: integer,
  method: orNull(string),
  url: string,
  headers,
  headers_are_cut: { ...flag, description: "Whether the log holds the beginning of the headers alone." },
  problem: { ...string, description: "Why there is no body." },
  body: orNull(string),
  body_bytes: orNull(integer),
  body_origin: {
    ...orNull(words("event", "template")),
    description: "From the change log, or rendered again from the template of the time of the attempt."
  },
  body_is_masked: {
    ...orNull(flag),
    description: "Whether objects are shown by id alone since you may not view them; then it is not what was sent."
  },
  signatures: listOf(
    record({
      header: string,
      scheme: words("netbox", "standard"),
      algorithm: words("HMAC-SHA512", "HMAC-SHA256", "Ed25519"),
      encoding: words("hex", "base64"),
      value: string,
      prefix: { ...string, description: "Text that is signed before the body." },
      secret: secrets
    })
  ),
  curl: string,
  snippets: listOf(
    record({
      scheme: words("netbox", "standard"),
      language: words(...languages.map(({ name }) => name)),
      run: string,
      program: { ...string, description: "Verifies the delivery; reads the secret from the variable SECRET." }
    })
  )
})

/** The names of the schemas, and the schemas. */
export const deliverySchemas: Json = {
  DeliveryDetail: detail,
  SentRequest: { ...sentRequest, properties: { ...sentRequest.properties, ...asked } }
}

const delivery = schema("ExtrasDelivery")

const waiting = record({
  delivery_id: string,
  delivery: { ...orNull(integer), description: "Its id in the delivery log; null without one." },
  state: {
    ...words("sending", "queued", "parked", "delayed"),
    description: "`parked`: another delivery of its object comes first. `delayed`: it is not due yet."
  },
  ...{ webhook: orNull({ type: "object" }), event: string, object_type: string, object_id: integer },
  ...{ object: orNull({ type: "object" }), request_id: string, time, attempts: integer, due: orNull(time) }
})

const waitingIds: Json = {
  type: "object",
  properties: { delivery_ids: { ...listOf(string), maxItems: actedOnMax } },
  required: ["delivery_ids"]
}

const actedOn = record({
  acted_on: listOf(string),
  left: { ...listOf(string), description: "They wait no more, or their state does not allow it." }
})

/** By path and method. */
export const describedDeliveries: Endpoints = {
  [`${path}:id/`]: {
    get: {
      summary: "One delivery, with its attempts and its journey",
      answer: { allOf: [delivery, schema("DeliveryDetail")] }
    }
  },
  [`${path}waiting/`]: {
    get: {
      summary: "Deliveries that wait or are under way, also those without an attempt",
      parameters: [
        { name: "webhook_id", in: "query", schema: integer, description: "Deliveries to this webhook." },
        { name: "object_type", in: "query", schema: string, description: "With `object_id`: those about this object." },
        { name: "object_id", in: "query", schema: integer, description: "With `object_type`." },
        { name: "after", in: "query", schema: string, description: "As `next` of the page before names it." },
        { name: "limit", in: "query", schema: integer, description: "Most deliveries of the page." }
      ],
      answer: record({
        count: { ...orNull(integer), description: "Null with an object: nobody has counted those." },
        next: orNull(string),
        previous: orNull(string),
        results: listOf(waiting)
      })
    }
  },
  [`${path}waiting/retry/`]: {
    post: { summary: "Attempt deliveries that wait at once", body: waitingIds, status: 202, answer: actedOn }
  },
  [`${path}waiting/discard/`]: {
    post: { summary: "Give deliveries that wait up", body: waitingIds, status: 202, answer: actedOn }
  },
  [`${path}:id/request/`]: {
    get: {
      summary: "The request of an attempt, whole, and how to verify it",
      parameters: [
        { name: "attempt", in: "query", schema: integer, description: "Its number, from 1; without it the last one." },
        { name: "now", in: "query", schema: flag, description: "Whether to show what would be sent now, as well." }
      ],
      answer: schema("SentRequest")
    }
  },
  [`${path}:id/retry/`]: {
    post: {
      summary: "Retry a delivery now, in place of the attempt that is scheduled; 409 says why that makes no sense",
      body: {
        type: "object",
        properties: {
          again: { ...flag, description: "Send again what the receiver has accepted." },
          attempts: { ...integer, description: "Refuse it if there are not so many attempts." }
        }
      },
      isBodyOptional: true,
      answer: delivery
    }
  },
  [`${path}:id/discard/`]: {
    post: { summary: "Give a delivery up; 409 says why that makes no sense", answer: delivery }
  }
}
