/** `/api/extras/deliveries/waiting/`: deliveries that wait or are under way, also those without an attempt. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../Config.ts"
import { Waiting, type WaitingUnknown, withBacklog } from "../../history/inspect/Waiting.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { actOnWaiting, actedOnMax } from "../../requests/WaitingActions.ts"
import { type Row, emptyRecord } from "../../inventory/Field.ts"
import { objectType, registry } from "../../inventory/Registry.ts"
import { byIds, viewFor } from "../../inventory/read/Read.ts"
import { HttpRefused } from "../HttpRefused.ts"
import { retryHeaders } from "../DatabaseReply.ts"
import { endpoint } from "../declare/Endpoint.ts"
import { brief, described, integer, listOf, orNull, record, string, time, words } from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { type Request, publicUrl } from "../wire/Request.ts"
import { parameterOf } from "../query/Parameter.ts"
import { pageBounds } from "../wire/Paging.ts"
import { bodyFields, refused, unlimited } from "./ActionRequest.ts"

const webhookType = objectType("extras.webhook")

/** Most deliveries of a page. */
const pageMax = 500

/** Reads the filter and the page. Fails with 400 for an unknown parameter, or a value that it does not allow. */
const wishOf = (query: URLSearchParams) => {
  const errors = emptyRecord<ReadonlyArray<string>>()
  const idOf = (name: string): number | undefined => {
    const text = parameterOf(query, name)
    if (text === undefined) return undefined
    if (!/^\d{1,15}$/.test(text)) errors[name] = ["Enter a whole number."]
    return Number(text)
  }
  const [webhook, objectId] = [idOf("webhook_id"), idOf("object_id")]
  const typeId = parameterOf(query, "object_type")
  if (typeId !== undefined && !registry.has(typeId)) errors["object_type"] = [`There is no object type ${typeId}.`]
  if ((typeId === undefined) !== (objectId === undefined)) {
    errors["object_id"] = ["Name object_type and object_id together."]
  }
  for (const name of query.keys()) {
    if (!parameters.has(name)) errors[name] = ["Unknown parameter."]
  }
  if (Object.keys(errors).length > 0) return new HttpRefused({ reason: "InvalidQuery", body: errors })
  const object = typeId === undefined || objectId === undefined ? undefined : { type: typeId, id: objectId }
  return { webhook, object, after: parameterOf(query, "after") ?? "" }
}

const parameters: ReadonlySet<string> = new Set(["webhook_id", "object_type", "object_id", "after", "limit", "live"])

const unavailable = ({ message }: WaitingUnknown) =>
  new HttpRefused({
    reason: "Busy",
    body: { detail: `The waiting deliveries cannot be read from Redis: ${message}` },
    headers: retryHeaders
  })

/** A page of deliveries that wait. Fails with 403 unless the reader may view every delivery. */
export const waitingSeen = Effect.fnUntraced(function* (request: Request) {
  yield* unlimited(deliveryType, "view")
  const wish = wishOf(request.url.searchParams)
  if (wish instanceof HttpRefused) return yield* wish
  const { webhook, object, after } = wish
  const { pageSize } = yield* Settings
  const { limit = pageMax } = pageBounds(request.url.searchParams, { usual: pageSize, max: pageMax })
  const all = webhook === undefined ? yield* withBacklog : [webhook]
  const webhooks = (yield* byIds(webhookType, all)).map(({ id }) => id)
  const waiting = yield* Waiting
  const { deliveries, next } = yield* Effect.mapError(
    waiting.page({ webhooks, object, after, count: limit }),
    unavailable
  )
  const count = object === undefined ? yield* Effect.mapError(waiting.count(webhooks), unavailable) : undefined
  const rows = deliveries.map(({ delivery }, at): Row => ({
    ...{ id: -1 - at, webhook: delivery.webhook, operation: null },
    ...{ object_type: delivery.objectType, object_id: delivery.objectId }
  }))
  const view = yield* viewFor(deliveryType, rows, request.base)
  const logged = yield* loggedIds(deliveries.map(({ delivery }) => delivery.id))
  const shown = deliveries.map(({ delivery, state, due }) => ({
    delivery_id: delivery.id,
    delivery: logged.get(delivery.id) ?? null,
    state,
    webhook: view.nested(webhookType.id, delivery.webhook),
    event: delivery.event,
    object_type: delivery.objectType,
    object_id: delivery.objectId,
    object: view.nested(delivery.objectType, delivery.objectId),
    request_id: delivery.requestId,
    time: new Date(delivery.time).toISOString(),
    attempts: delivery.attempts,
    due: due === undefined ? null : new Date(due).toISOString()
  }))
  return { count, next, shown, view, wish }
})

/** Rows of the delivery log by the ids of their deliveries. */
const loggedIds = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly delivery_id: string }>`
    select id::text as id, delivery_id from extras_delivery where delivery_id = any (${ids}::text[])`
  return new Map(rows.map((row) => [row.delivery_id, Number(row.id)]))
})

const waits = record({
  delivery_id: string,
  delivery: described(orNull(integer), "Its id in the delivery log; null without one."),
  state: described(
    words("sending", "queued", "parked", "delayed"),
    "`parked`: another delivery of its object is sent first. `delayed`: it is not due yet."
  ),
  ...{ webhook: orNull(brief), event: string, object_type: string, object_id: integer },
  ...{ object: orNull(brief), request_id: string, time, attempts: integer, due: orNull(time) }
})

/** `after` of the link begins the next page. */
const list = endpoint(
  {
    summary: "Deliveries that wait or are under way, also those without an attempt",
    query: {
      webhook_id: described(integer, "Deliveries to this webhook."),
      object_type: described(string, "With `object_id`: those about this object."),
      object_id: described(integer, "With `object_type`."),
      after: described(string, "As `next` of the page before names it."),
      limit: described(integer, "Most deliveries of the page.")
    },
    reply: record({
      count: described(orNull(integer), "Null with an object: nobody has counted those."),
      ...{ next: orNull(string), previous: orNull(string), results: listOf(waits) }
    })
  },
  (request) =>
    Effect.gen(function* () {
      const { count = null, next, shown } = yield* waitingSeen(request)
      const link = publicUrl(request)
      if (next !== undefined) link.searchParams.set("after", next)
      const json = { count, next: next === undefined ? null : link.href, previous: null, results: shown }
      return { status: 200, json }
    })
)

/** Acts on deliveries that wait; returns the ids of those that it acted on. Fails with 403 or 503. */
export const actOn = Effect.fnUntraced(function* (action: "retry" | "discard", ids: ReadonlyArray<string>) {
  yield* unlimited(deliveryType, "change")
  return yield* Effect.catchTag(actOnWaiting(action, ids), "WaitingUnknown", unavailable)
})

const waitingIds = record({ delivery_ids: listOf(string).check(Schema.isMaxLength(actedOnMax)) })

const actedOn = record({
  acted_on: listOf(string),
  left: described(listOf(string), "They wait no more, or their state does not allow it.")
})

/** `{"delivery_ids": ["5-46077376-16"]}` -> `{"acted_on": […], "left": […]}`. */
const act = (summary: string, action: "retry" | "discard") =>
  endpoint({ summary, body: waitingIds, status: 202, reply: actedOn }, (request) =>
    Effect.gen(function* () {
      const { delivery_ids: ids } = yield* bodyFields(request)
      if (!Array.isArray(ids) || ids.length > actedOnMax || !ids.every((id) => typeof id === "string")) {
        return yield* refused({ delivery_ids: [`Give a list of at most ${actedOnMax} ids.`] })
      }
      const acted = new Set(yield* actOn(action, ids))
      const [actedOn, left] = [ids.filter((id) => acted.has(id)), ids.filter((id) => !acted.has(id))]
      return { status: 202, json: { acted_on: actedOn, left } }
    })
  )

const path = `${deliveryType.path}waiting/`

export default [
  { path, access: deliveryType, methods: { GET: list } },
  {
    path: `${path}retry/`,
    access: deliveryType,
    action: "change",
    methods: { POST: act("Attempt deliveries that wait at once", "retry") }
  },
  {
    path: `${path}discard/`,
    access: deliveryType,
    action: "change",
    methods: { POST: act("Give deliveries that wait up", "discard") }
  }
] satisfies ReadonlyArray<Route>
