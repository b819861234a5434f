/**
 * `POST /api/extras/webhooks/trial/`: what a webhook with these fields would do with a past change, or with an event that
 * the body has as `event`. Writes nothing and sends nothing.
 */
import { Effect, Schema } from "effect"
import { secretProblem } from "../../webhook/Sign.ts"
import { parseBatch } from "../../inventory/types/extras/WebhookBatch.ts"
import { eventOfChange } from "../../history/explain/ExplainedEvent.ts"
import { latestNames } from "../../history/explain/LatestEvents.ts"
import { sourceNamed } from "../../history/source/SourceNames.ts"
import { pastedEvent } from "../../history/inspect/Pasted.ts"
import { type Draft, type Trial, tried } from "../../history/inspect/Trial.ts"
import type { LoggedEvent } from "../../changelog/LoggedEvent.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { type Dictionary, type Messages, emptyRecord, isDictionary } from "../../inventory/Field.ts"
import { fieldOf } from "../../inventory/ObjectType.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { isEmpty, parse } from "../../match/Condition.ts"
import { listenedTypes } from "../../match/WebhookIndex.ts"
import { gates } from "../../match/Verdict.ts"
import { Templates } from "../../template/Template.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { explanation } from "../declare/Explanation.ts"
import {
  described,
  flag,
  integer,
  listOf,
  object,
  optional,
  orNull,
  record,
  string,
  words,
  partWith
} from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import type { Request } from "../wire/Request.ts"
import { bodyFields, refused } from "./ActionRequest.ts"
import { TryOutLimits } from "./TryOutLimits.ts"

const webhookType = objectType("extras.webhook")

/** Latest changes from which one is chosen. */
export const choicesMax = 50

const busy = "Too many templates are being rendered. Try again in a second."
const nowhere = { line: 0, column: 0, snippet: "" }

/** The fields of a webhook that a trial needs. */
const names = [
  ...["content_types", "type_create", "type_update", "type_delete", "conditions", "payload_url", "http_method"],
  ...["http_content_type", "template_engine", "additional_headers", "body_template", "signature", "secret"],
  ...["batch", "oauth_token_url"]
] as const

/**
 * The webhook that the fields describe; absent ones are as in a new webhook. Fails with 400 where a field has no value
 * of its kind, or the condition is none.
 */
export const draftOf = Effect.fnUntraced(function* (fields: Dictionary, id?: number) {
  const errors = emptyRecord<Messages>()
  const values = emptyRecord<unknown>()
  for (const name of names) {
    const field = fieldOf(webhookType, name)
    values[name] = field.initial?.()
    if (fields[name] === undefined || fields[name] === null) continue
    const parsed = field.parse(fields[name])
    if ("errors" in parsed) errors[name] = parsed.errors
    else values[name] = parsed.value
  }
  const { conditions, content_types: types } = values
  const secretFault = secretProblem(String(values["secret"] ?? ""))
  if (secretFault !== undefined) errors["secret"] = [secretFault]
  const batch = (values["batch"] ?? null) === null ? undefined : parseBatch(values["batch"])
  if (typeof batch === "string") errors["batch"] = [batch]
  if (!isEmpty(conditions)) {
    try {
      parse(conditions)
    } catch (error) {
      errors["conditions"] = [inWords(error)]
    }
  }
  const source = yield* draftSource(fields["source"])
  if (source === undefined) errors["source"] = ["There is no such source that you may view."]
  if (Object.keys(errors).length > 0) return yield* refused(errors)
  const text = (name: (typeof names)[number]) => String(values[name] ?? "")
  return {
    id,
    enabled: true,
    source: source ?? null,
    content_types: ((types ?? []) as ReadonlyArray<string>).filter((each) => source !== null || registry.has(each)),
    type_create: values["type_create"] === true,
    type_update: values["type_update"] === true,
    type_delete: values["type_delete"] === true,
    conditions: isDictionary(conditions) ? conditions : null,
    scope_user: null,
    http_method: text("http_method"),
    http_content_type: text("http_content_type"),
    payload_url: text("payload_url"),
    template_engine: text("template_engine"),
    additional_headers: text("additional_headers"),
    body_template: text("body_template"),
    batch: typeof batch === "string" ? undefined : batch,
    signature: values["signature"] === "standard" ? "standard" : "netbox",
    secret: text("secret"),
    oauth_token_url: text("oauth_token_url")
  } satisfies Draft
})

/** The id of the source that a body names by its id or its name; null for none, undefined for an unknown one. */
const draftSource = Effect.fnUntraced(function* (named: unknown) {
  const text = isDictionary(named) ? (named["id"] ?? named["name"]) : named
  if (text === undefined || text === null || text === "") return null
  return (yield* sourceNamed(String(text)))?.id
})

/** The latest changes of the draft's types that the sender may view, and what the draft would do with one of them. */
export const trialOf = Effect.fnUntraced(function* (request: Request, draft: Draft, change: number | undefined) {
  const choices = yield* latestNames({ types: listenedTypes(draft), limit: choicesMax })
  const chosen = choices.find(({ change_id: id }) => Number(id) === change) ?? choices[0]
  const event = chosen && (yield* eventOfChange({ id: Number(chosen.change_id), time: chosen.event_time }))
  if (chosen === undefined || event === undefined) return { choices, found: undefined }
  return { choices, found: { change: chosen, trial: yield* trialWith(request, draft, event) } }
})

/** The trial of the draft with an event that the sender gives. Fails with 400 where it is none. */
export const trialOfPasted = Effect.fnUntraced(function* (request: Request, draft: Draft, pasted: unknown) {
  const read = pastedEvent(pasted, listenedTypes(draft))
  if ("errors" in read) return yield* refused({ event: read.errors })
  return yield* trialWith(request, draft, read.event)
})

const trialWith = Effect.fnUntraced(function* (request: Request, draft: Draft, event: LoggedEvent) {
  const { inTurn } = yield* TryOutLimits
  const templates = yield* Templates
  return yield* tried(draft, event, (source, context, engine) =>
    inTurn(request, (owner) =>
      Effect.map(templates.render([source], context, engine, owner), ([output = ""]) => output)
    ).pipe(Effect.mapError((error) => (error instanceof HttpRefused ? { ...nowhere, told: busy } : error)))
  )
})

const reply = record({
  object_change: described(orNull(integer), "The change that was tried; null for an event of the request."),
  fires: flag,
  gate: described(orNull(words(...gates)), "The gate that the event did not pass."),
  reason: string,
  explanation: orNull(explanation),
  request: record({
    ...{ method: string, url: orNull(string), headers: orNull(Schema.Record(string, string)), body: orNull(string) }
  }),
  faults: listOf(
    record({
      ...{ field: string, message: string },
      ...{ line: optional(integer), column: optional(integer), snippet: optional(string) }
    })
  )
})

const shown = ({ verdict, ...trial }: Trial) => ({
  fires: verdict.outcome === "fired",
  gate: verdict.gate ?? null,
  reason: verdict.reason,
  explanation: verdict.explanation ?? null,
  request: { method: trial.method, url: trial.url ?? null, headers: trial.headers ?? null, body: trial.body ?? null },
  faults: trial.faults
})

const trial = endpoint(
  {
    summary: "The result of a webhook with these fields for a past change or an event; nothing is saved or sent",
    body: partWith(
      webhookType,
      record({
        object_change: optional(described(integer, "Without it the latest change of the object types.")),
        event: optional(described(object, "An event as a receiver gets it, in place of a change."))
      })
    ),
    reply
  },
  (request) =>
    Effect.gen(function* () {
      const { limited } = yield* TryOutLimits
      yield* limited(request)
      const fields = yield* bodyFields(request)
      const change = fields["object_change"]
      if (change !== undefined && (typeof change !== "number" || !Number.isSafeInteger(change)))
        return yield* refused({ object_change: ["A valid integer is required."] })
      const draft = yield* draftOf(fields)
      if (fields["event"] !== undefined) {
        const trial = yield* trialOfPasted(request, draft, fields["event"])
        return { status: 200, json: { object_change: null, ...shown(trial) } }
      }
      const { found } = yield* trialOf(request, draft, change)
      if (found === undefined)
        return yield* refused({ content_types: ["There is no change of these object types that you may view."] })
      return { status: 200, json: { object_change: Number(found.change.change_id), ...shown(found.trial) } }
    })
)

export default [
  { path: `${webhookType.path}trial/`, access: webhookType, methods: { POST: trial } }
] satisfies ReadonlyArray<Route>
