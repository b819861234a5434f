/**
 * `GET /api/extras/journeys/?lsn=|request_id=|xid=|change=|delivery=`: the transactions of what is named; without any the
 * latest ones. `GET /api/extras/journeys/<position>/`: one of them, from its changes to the answers.
 */
import { Effect } from "effect"
import { clueIn, positionIn } from "../../history/explain/Clues.ts"
import { type Journey, journeyAt, pageMax } from "../../history/explain/Journey.ts"
import { type Transaction, transactionsOf } from "../../history/explain/Transactions.ts"
import { type Change, changeType } from "../../inventory/read/Changes.ts"
import { HttpRefused, notFound } from "../HttpRefused.ts"
import { endpoint } from "../declare/Endpoint.ts"
import {
  described,
  flag,
  integer,
  listOf,
  optional,
  orNull,
  page,
  pageOf,
  record,
  string,
  time,
  words
} from "../declare/Parts.ts"
import type { Route } from "../Route.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import { shownReckoned } from "./Explain.ts"
import { reckoned } from "./Explained.ts"
import { publicUrl } from "../wire/Request.ts"

const path = "/api/extras/journeys/"

const transactionFields = {
  ...{ url: string, position: string, lsn: string, time, request_id: string, user_name: string },
  source: described(orNull(string), "The name of the attached NetBox that made it; null for the inventory."),
  request: orNull(record({ method: string, path: string, token: optional(integer), traceparent: optional(string) })),
  xid: orNull(integer),
  changes: integer
}

const changeSchema = record({
  ...{ id: integer, url: string, time, user_name: string, request_id: string },
  ...{ action: words("create", "update", "delete"), object_type: string, object_id: integer, object_repr: string },
  position: string
})

const attempt = record({
  ...{ delivery_id: string, number: integer, started: time, duration_ms: integer },
  ...{ response_status: orNull(integer), reason: string }
})

const delivery = record({
  ...{ id: integer, delivery_id: string, webhook: integer, idx: integer, status: string },
  ...{ next_attempt: orNull(time), response_status: orNull(integer), message: string, attempts: listOf(attempt) }
})

const briefly = (transaction: Transaction, base: string) => ({
  url: `${base}${path}${transaction.position}/`,
  ...transaction
})

const list = endpoint(
  {
    summary: "Transactions of what is named, or the latest ones; newest first",
    query: {
      lsn: described(string, "The last commit at or before this LSN."),
      request_id: described(string, "A request."),
      xid: described(string, "The number of a transaction in Postgres, with or without its epoch."),
      change: described(integer, "The id of a change."),
      delivery: described(string, "The id of a delivery: of its row, or its delivery_id.")
    },
    reply: pageOf(record(transactionFields))
  },
  ({ url, base }) =>
    Effect.gen(function* () {
      const asked = clueIn(url.searchParams)
      if ("errors" in asked) return yield* new HttpRefused({ reason: "InvalidQuery", body: asked.errors })
      const results = (yield* transactionsOf(asked.clue)).map((each) => briefly(each, base))
      return { status: 200, json: { count: results.length, next: null, previous: null, results } }
    })
)

const changeShown = ({ id, time, user_name: user, request_id: request, action, ...of }: Change, base: string) => ({
  ...{ id, url: `${base}${changeType.path}${id}/`, time, user_name: user, request_id: request, action },
  object_type: of.changed_object_type,
  object_id: of.changed_object_id,
  object_repr: of.object_repr,
  position: of.place
})

const detail = ({ transaction, changes, deliveries, isPartial }: Journey, base: string) => ({
  ...briefly(transaction, base),
  partial: isPartial,
  results: changes.map(({ change, webhooks, asked, fired }) => ({
    change: changeShown(change, base),
    ...{ asked, fired },
    webhooks: webhooks.map((each) => shownReckoned(each, base))
  })),
  deliveries: deliveries ?? null
})

const show = endpoint(
  {
    summary: "One transaction, from its changes over the webhooks that listen to them to the answers",
    query: page,
    reply: pageOf(record({ change: changeSchema, asked: integer, fired: integer, webhooks: listOf(reckoned) }), {
      ...transactionFields,
      partial: flag,
      deliveries: orNull(listOf(delivery))
    })
  },
  ({ url, base, params: { position: text = "" } }) =>
    Effect.gen(function* () {
      const position = positionIn(text)
      if (position === undefined) return yield* notFound()
      const { limit = pageMax, offset } = pageBounds(url.searchParams, { usual: pageMax, max: pageMax })
      const journey = yield* journeyAt(position, { limit, offset })
      if (journey === undefined) return yield* notFound()
      const { changes: count } = journey.transaction
      const links = pageLinks(publicUrl({ url, base }), { limit, offset }, count)
      return { status: 200, json: { count, ...links, ...detail(journey, base) } }
    })
)

export default [
  { path, access: changeType, methods: { GET: list } },
  { path: `${path}:position/`, access: changeType, methods: { GET: show } }
] satisfies ReadonlyArray<Route>
