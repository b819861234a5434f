/**
 * The request of an attempt, whole. The log keeps its URL and headers; the body is made again: the default body from the
 * change log, byte for byte, and another one from the template that the webhook had at the time of the attempt.
 *
 * A signature shows whether the body is the one that was sent. Objects that the reader may not view are shown by id
 * alone; then the body is not the one that was sent.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { deliveryOf } from "../../event/Delivery.ts"
import { eventBody } from "../../event/Event.ts"
import { hiddenFromReader } from "../../auth/Sight.ts"
import { keptCharsMax } from "../../webhook/HeaderText.ts"
import { contextOf } from "../../webhook/Request.ts"
import { withConfigContexts } from "../../webhook/ConfigContexts.ts"
import { sentAlone } from "../../webhook/Batch.ts"
import { type LoggedEvent, eventOf, loggedEvent } from "../../changelog/LoggedEvent.ts"
import { eventsAsSeen, stateOf, viewersAmong, withHidden } from "../../changelog/SeenEvents.ts"
import type { DeliveryKey, LoggedAttempt } from "./Attempts.ts"
import { type SignatureCheck, checkSignatures } from "./Signatures.ts"

/** Longest event of which the body is made again, bytes: it is read and parsed while others wait. */
const eventBytesMax = 2 << 20

export interface InspectedDelivery extends DeliveryKey {
  readonly webhook: number | null
  /** The user to whose view it is bound; null for none. */
  readonly asked_by: number | null
}

export interface SentBody {
  readonly bytes: Buffer
  /** `event`: the default body, from the change log. `template`: rendered again from the webhook's template of then. */
  readonly origin: "event" | "template"
  /** Whether objects are shown by id alone because the reader may not view them. */
  readonly isMasked: boolean
}

export interface SentRequest {
  /** Null where no definition of the webhook of that time is left. */
  readonly method: string | null
  readonly url: string
  readonly headers: LoggedAttempt["request_headers"]
  /** Whether the log has only the beginning of the headers. */
  readonly hasCutHeaders: boolean
  readonly body: SentBody | undefined
  /** Why there is no body. */
  readonly problem: string | undefined
  readonly signatures: ReadonlyArray<SignatureCheck>
  /** Whether the webhook of that time has a TLS client certificate. */
  readonly hasCertificate: boolean
}

/** Renders a template for a context, which is JSON text. */
export type Rendering = (
  template: string,
  context: string,
  engine: string
) => Effect.Effect<string, { readonly told: string }>

/** The request of an attempt, as the current user may see it. */
export const sentRequest = Effect.fnUntraced(function* (
  delivery: InspectedDelivery,
  attempt: LoggedAttempt,
  render: Rendering
) {
  const { url, request_headers: headers } = attempt
  const definition = delivery.webhook === null ? undefined : yield* definitionAt(delivery.webhook, attempt.started)
  const known = {
    ...{ method: definition?.http_method ?? null, url, headers, hasCutHeaders: areCut(headers) },
    hasCertificate: (definition?.client_certificate ?? "") !== ""
  }
  const without = (problem: string): SentRequest => ({ ...known, body: undefined, problem, signatures: [] })
  if (headers.length === 0) return without("No request was sent.")
  if (definition === undefined) return without("The webhook of that time is no longer in the change log.")
  const size = headers.find(({ name }) => name === "x-hook-batch-size")?.value
  if (size !== undefined && size !== "1") {
    return without(`It was sent in a batch of ${size} deliveries: the body of a batch is not made again.`)
  }
  const body = yield* bodyBy({ ...definition, batch: size ?? null }, delivery, attempt.number, render)
  if (typeof body === "string") return without(body)
  const signatures = yield* checkSignatures(delivery, headers, body.bytes)
  return { ...known, body, problem: undefined, signatures } satisfies SentRequest
})

/** The body that the webhook as it is now would send, as the current user may see it; or why there is none. */
export const bodyNow = Effect.fnUntraced(function* (delivery: InspectedDelivery, render: Rendering) {
  const definition = delivery.webhook === null ? undefined : yield* definitionAt(delivery.webhook, "infinity")
  return definition === undefined ? "The webhook was deleted." : yield* bodyBy(definition, delivery, 1, render)
})

/** The body that a definition of the webhook gives in an attempt; or why there is none. */
const bodyBy = Effect.fnUntraced(function* (
  definition: DefinitionAt,
  delivery: InspectedDelivery,
  attempt: number,
  render: Rendering
) {
  const event = yield* eventFor(delivery, definition.scope_user)
  if (typeof event === "string") return event
  const { told, isMasked } = event
  const own = { id: delivery.delivery_id, attempts: attempt - 1 }
  const one = { ...deliveryOf(told, delivery.webhook ?? 0, { body: eventBody(told) }), ...own }
  const { body_template: template, template_engine: engine } = definition
  const [whole] = yield* withConfigContexts([template], [one])
  const sent = sentAlone(whole!, definition.batch !== null)
  if (template === "") return { bytes: Buffer.from(sent.body), origin: "event", isMasked } satisfies SentBody
  const made = yield* Effect.result(render(template, contextOf(sent), engine))
  if (Result.isFailure(made)) return `The template does not give a body: ${made.failure.told}`
  return { bytes: Buffer.from(made.success), origin: "template", isMasked } satisfies SentBody
})

/** Whether the logged text of the headers was longer than the log keeps. */
const areCut = (headers: LoggedAttempt["request_headers"]): boolean =>
  headers.reduce((sum, { name, value }) => sum + `${name}: ${value}\n`.length, 0) > keptCharsMax

interface DefinitionAt {
  readonly http_method: string
  readonly template_engine: string
  readonly body_template: string
  /** Anything but null for a batch; null in the change log from before there were any. */
  readonly batch: unknown
  readonly scope_user: number | null
  /** Null in the change log from before there were any. */
  readonly client_certificate: string | null
}

/** SQL: the members of a definition. */
const members = ["http_method", "template_engine", "body_template", "batch", "scope_user", "client_certificate"]

/** The webhook as it was at a time: before the first change after it, or as it is. */
export const definitionAt = Effect.fnUntraced(function* (webhook: number, time: string) {
  const sql = yield* SqlClient.SqlClient
  const from = (source: (name: string) => string) =>
    `json_build_object(${members.map((name) => `'${name}', ${source(name)}`).join(", ")})`
  const [found] = yield* sql.unsafe<{ readonly definition: DefinitionAt | null }>(
    `select coalesce(
       (select ${from((name) => `c.prechange_data -> '${name}'`)} from extras_objectchange c
         where c.changed_object_type = 'extras.webhook' and c.changed_object_id = $1::bigint
           and c.time > $2::timestamptz and json_typeof(c.prechange_data) = 'object'
         order by c.time, c.id limit 1),
       (select ${from((name) => `w.${name === "scope_user" ? "scope_user_id" : name}`)} from extras_webhook w
         where w.id = $1::bigint)) as definition`,
    [`${webhook}`, time]
  )
  return found?.definition ?? undefined
})

/** The event as it was sent and as the reader may see it; or why there is none. */
export const eventFor = Effect.fnUntraced(function* (delivery: InspectedDelivery, scope: number | null) {
  const sql = yield* SqlClient.SqlClient
  const from = `from extras_delivery d
    join extras_objectchange c on c.position = d.position and c.idx = d.idx and c.time = d.time
   where d.delivery_id = $1 and d.time = $2::text::timestamptz`
  const key = [delivery.delivery_id, delivery.time]
  const [size] = yield* sql.unsafe<{ readonly bytes: string }>(
    `select (octet_length(c.data::text) + octet_length(c.prechange_data::text)
             + octet_length(c.postchange_data::text))::text as bytes ${from}`,
    key
  )
  if (size === undefined) return "The change log no longer holds the event."
  if (Number(size.bytes) > eventBytesMax) {
    return `The event has ${Number(size.bytes).toLocaleString("en")} bytes: too many to make its body again.`
  }
  const found = yield* sql.unsafe<LoggedEvent>(`select ${loggedEvent} ${from}`, key)
  const [sent] = yield* eventsAsSeen(found, () => viewersAmong(delivery.asked_by, scope))
  if (sent === undefined) return "The user for whom it was sent may no longer view the object."
  const told = { type: sent.object_type, objectId: Number(sent.object_id), ...stateOf(sent) }
  const [hiddenFromThem] = yield* hiddenFromReader([told])
  const hidden = [...hiddenFromThem!.difference(new Set(sent.hidden))]
  return { told: eventOf(withHidden(sent, hidden)), isMasked: hidden.length > 0 }
})
