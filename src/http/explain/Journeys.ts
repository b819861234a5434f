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
import type { Handler, Route } from "../Route.ts"
import { pageBounds, pageLinks } from "../wire/Paging.ts"
import { shownReckoned } from "./Explain.ts"

const path = "/api/extras/journeys/"

const briefly = (transaction: Transaction, base: string) => ({
  url: `${base}${path}${transaction.position}/`,
  ...transaction
})

const list: Handler = ({ url, base }) =>
  Effect.gen(function* () {
    const asked = clueIn(url.searchParams)
    if ("errors" in asked) return yield* new HttpRefused({ reason: "InvalidQuery", body: asked.errors })
    const results = (yield* transactionsOf(asked.clue)).map((each) => briefly(each, base))
    return { status: 200, json: { count: results.length, next: null, previous: null, results } }
  })

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

const show: Handler = ({ url, base, params: { position: text = "" } }) =>
  Effect.gen(function* () {
    const position = positionIn(text)
    if (position === undefined) return yield* notFound()
    const { limit = pageMax, offset } = pageBounds(url.searchParams, { usual: pageMax, max: pageMax })
    const journey = yield* journeyAt(position, { limit, offset })
    if (journey === undefined) return yield* notFound()
    const { changes: count } = journey.transaction
    const links = pageLinks(new URL(url.pathname + url.search, base), { limit, offset }, count)
    return { status: 200, json: { count, ...links, ...detail(journey, base) } }
  })

export const journeyRoutes: ReadonlyArray<Route> = [
  { path, access: changeType, methods: { GET: list } },
  { path: `${path}:position/`, access: changeType, methods: { GET: show } }
]
