/** Actions of webhooks beside the usual endpoints: replay of past events, test, pause and resume. */
import { Clock, Effect, Schema } from "effect"
import { askForProbe, openBreakers } from "../../log/BreakerTable.ts"
import { healthOf } from "../../history/health/Healths.ts"
import { askToResume, operationType } from "../../requests/Operations.ts"
import { keepChoices } from "../../requests/Resume.ts"
import type { WebhookRow } from "../../match/WebhookIndex.ts"
import { askForReplay, momentOf, replayType } from "../../requests/Replay.ts"
import { overlapHoursMax, rotateSecret } from "../../requests/Rotate.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { askForTest } from "../../requests/TestDelivery.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { update } from "../../inventory/write/Write.ts"
import { objectType } from "../../inventory/Registry.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { type Dictionary, type Messages, emptyRecord } from "../../inventory/Field.ts"
import { flag as flagField } from "../../inventory/ObjectType.ts"
import { accepted, bodyFields, refused } from "./ActionRequest.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  flag,
  integer,
  listOf,
  number,
  objectOf,
  optional,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import { type Detail, detail } from "../objects/Detail.ts"
import { rowOf } from "../objects/Objects.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { healthSchema, shown as shownHealth } from "./WebhookHealth.ts"

const webhookType = objectType("extras.webhook")

/** The fields of a request for a replay. */
const dryRun = flagField({ default: false })
const parsers = { since: momentOf, until: momentOf, dry_run: (input: unknown) => dryRun.parse(input) }

const webhookOf = (request: Request) => Effect.map(rowOf(webhookType, request, "change"), (row) => row as WebhookRow)

const replay = endpoint(
  {
    summary: "Send the events of a time again that the webhook accepts as it is now",
    body: record({ since: time, until: optional(described(time, "Without it now.")), dry_run: optional(flag) }),
    status: 202,
    reply: objectOf(replayType)
  },
  (request) =>
    Effect.gen(function* () {
      const webhook = yield* rowOf(webhookType, request, "change")
      const now = new Date(yield* Clock.currentTimeMillis).toISOString()
      const { since, until, dry_run: dryRun } = yield* asked(yield* bodyFields(request), now)
      const id = yield* askForReplay({ webhook: webhook.id, since, until, dryRun, askedBy: request.author.userId })
      return yield* accepted(replayType, id, request)
    })
)

const pause = endpoint({ summary: "Pause a webhook: its deliveries wait", reply: objectOf(webhookType) }, (request) =>
  Effect.gen(function* () {
    const { id } = yield* rowOf(webhookType, request, "change")
    const [row] = yield* update(webhookType, [{ id, body: { paused: true } }], false, request.author)
    if (row === undefined) return yield* notFound()
    return { status: 200, json: representation(webhookType, row, yield* viewFor(webhookType, [row], request.base)) }
  })
)

/** `{"keep": "all" | "latest" | "none"}`: which of the deliveries that were queued during the pause are sent. */
const resume = endpoint(
  {
    summary: "Resume a paused webhook, with all deliveries of the pause, the newest of each object, or none",
    body: record({ keep: optional(words(...keepChoices).annotate({ default: "all" })) }),
    isBodyOptional: true,
    status: 202,
    reply: objectOf(operationType)
  },
  (request) =>
    Effect.gen(function* () {
      const webhook = yield* webhookOf(request)
      const { keep = "all" } = yield* bodyFields(request)
      const kept = keepChoices.find((choice) => choice === keep)
      if (kept === undefined) return yield* refused({ keep: [`Use one of ${keepChoices.join(", ")}.`] })
      if (webhook.paused !== true)
        return yield* new HttpRefused({ reason: "Conflict", body: { detail: "The webhook is not paused." } })
      return yield* accepted(operationType, yield* askToResume(webhook.id, kept), request)
    })
)

/** `{"object_change": 5}`: the past event to send; without it the latest one of the webhook's object types. */
const test = endpoint(
  {
    summary: "Send a past change to the webhook, whatever its conditions say",
    body: record({
      object_change: optional(described(integer, "Without it the latest change of its object types."))
    }),
    isBodyOptional: true,
    status: 202,
    reply: objectOf(deliveryType)
  },
  (request) =>
    Effect.gen(function* () {
      const webhook = yield* webhookOf(request)
      const { object_change: change } = yield* bodyFields(request)
      if (change !== undefined && (typeof change !== "number" || !Number.isSafeInteger(change)))
        return yield* refused({ object_change: ["A valid integer is required."] })
      if (webhook.enabled !== true || webhook.paused === true) {
        return yield* new HttpRefused({ reason: "Conflict", body: { detail: "The webhook is disabled or paused." } })
      }
      const { requestId, userId: askedBy } = request.author
      const delivery = yield* askForTest({ webhook: webhook.id, requestId, change, askedBy })
      if (delivery === undefined) return yield* refused({ object_change: ["There is no such change."] })
      return yield* accepted(deliveryType, delivery, request)
    })
)

/** Lets one delivery be attempted now, not when the open circuit breaker would. Answers with the webhook's health. */
const probe = endpoint(
  {
    summary: "Attempt a delivery now although the circuit breaker is open; 409 where it is not",
    status: 202,
    reply: healthSchema
  },
  (request) =>
    Effect.gen(function* () {
      const webhook = yield* webhookOf(request)
      if ((yield* askForProbe([webhook.id])).length === 0) {
        const detail = "The circuit breaker of the webhook is not open."
        return yield* new HttpRefused({ reason: "Conflict", body: { detail } })
      }
      const [health] = yield* healthOf([webhook])
      return { status: 202, json: shownHealth(health!) }
    })
)

/**
 * `{"secret": "…", "overlap_hours": 24}`, both optional: answers with the new secret, this once. Until the overlap ends
 * requests are signed with the old secret as well.
 */
const rotate = endpoint(
  {
    summary: "Give the webhook a new secret; the answer shows it this once",
    body: record({
      secret: optional(described(string, "Without it one is made.")),
      overlap_hours: optional(
        described(
          number.check(Schema.isBetween({ minimum: 0, maximum: overlapHoursMax })),
          "How long the old one stays valid."
        )
      )
    }),
    isBodyOptional: true,
    reply: record({ secret: string, overlap_hours: number })
  },
  (request) =>
    Effect.gen(function* () {
      const { id } = yield* webhookOf(request)
      const { secret, overlap_hours: hours = 24 } = yield* bodyFields(request)
      if (secret !== undefined && (typeof secret !== "string" || secret === ""))
        return yield* refused({ secret: ["Not a valid string."] })
      if (typeof hours !== "number" || !(hours >= 0 && hours <= overlapHoursMax))
        return yield* refused({ overlap_hours: [`Use a number from 0 to ${overlapHoursMax}.`] })
      const made = yield* rotateSecret({ webhook: id, secret, overlapHours: hours, author: request.author })
      if (made === undefined) return yield* notFound()
      return { status: 200, json: { secret: made, overlap_hours: hours }, headers: { "cache-control": "no-store" } }
    })
)

const asked = (input: Dictionary, now: string) => {
  const errors = emptyRecord<Messages>()
  const values: Record<string, unknown> = { until: now, dry_run: false }
  if (input["since"] === undefined) errors["since"] = ["This field is required."]
  for (const [name, parse] of Object.entries(parsers)) {
    if (input[name] === undefined || input[name] === null) continue
    const parsed = parse(input[name])
    if ("errors" in parsed) errors[name] = parsed.errors
    else values[name] = parsed.value
  }
  if (Object.keys(errors).length > 0) return refused(errors)
  return Effect.succeed(values as { readonly since: string; readonly until: string; readonly dry_run: boolean })
}

const opened = record({
  ...{ process: string, opened: time, until: time, reason: string }
})

export const details: ReadonlyArray<Detail> = [
  detail(
    webhookType,
    {
      summary: "One webhook, with its open circuit breakers",
      more: record({ breakers: described(listOf(opened), "One for each process whose breaker is open.") })
    },
    ({ id }) => Effect.map(openBreakers(id), (breakers) => ({ breakers }))
  )
]

export default [
  { path: `${webhookType.path}:id/replay/`, access: webhookType, action: "change", methods: { POST: replay } },
  { path: `${webhookType.path}:id/pause/`, access: webhookType, action: "change", methods: { POST: pause } },
  { path: `${webhookType.path}:id/resume/`, access: webhookType, action: "change", methods: { POST: resume } },
  { path: `${webhookType.path}:id/probe/`, access: webhookType, action: "change", methods: { POST: probe } },
  { path: `${webhookType.path}:id/rotate/`, access: webhookType, action: "change", methods: { POST: rotate } },
  { path: `${webhookType.path}:id/test/`, access: webhookType, action: "change", methods: { POST: test } }
] satisfies ReadonlyArray<Route>
