/** `/logging/journeys/<position>/`: one transaction, from its changes to the answers of the receivers. */
import { Effect } from "effect"
import { positionIn } from "../../history/explain/Clues.ts"
import { type Journey, journeyAt, pageMax } from "../../history/explain/Journey.ts"
import { placed, sourceObjects } from "../../history/source/SourceObjects.ts"
import { parsePosition } from "../../event/Position.ts"
import { notFound } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { pageBounds } from "../../http/wire/Paging.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { html } from "../Html.ts"
import { objectText } from "../change/ChangeTable.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { matrix } from "./Matrix.ts"
import { timeAxis } from "./TimeAxis.ts"
import { trail } from "./Trail.ts"
import { pager } from "../list/Pager.ts"
import { groupOf } from "../frame/Menu.ts"

const webhookType = objectType("extras.webhook")

const show: Handler = (request) =>
  Effect.gen(function* () {
    const query = request.url.searchParams
    const position = positionIn(request.params["position"] ?? "")
    if (position === undefined) return yield* notFound()
    const { limit = pageMax, offset } = pageBounds(query, { usual: pageMax, max: pageMax })
    const journey = yield* journeyAt(position, { limit, offset })
    if (journey === undefined) return yield* notFound()
    const { transaction, changes } = journey
    const total = transaction.changes
    const objects = yield* sourceObjects(changes.map(({ change }) => placed(change)))
    const maySeeWebhooks = yield* mayView(webhookType)
    return yield* framed(request, {
      title: `Journey of LSN ${transaction.lsn}`,
      crumbs: [[groupOf(changeType)], ["Journeys", "/logging/journeys/"]],
      actions: html`<a class="btn btn-sm" href="/api/extras/journeys/${transaction.position}/">${icon("code")}API</a>`,
      main: html`${trail(journey)}
        <section class="card" id="matrix" aria-labelledby="decisions">
          <div class="ch"><h2 id="decisions">Changes and webhooks</h2></div>
          ${matrix(maySeeWebhooks ? changes : changes.map((each) => ({ ...each, webhooks: [] })), objects)}
          ${total > limit ? pager({ query, limit, offset, count: changes.length, total, most: pageMax }) : ""}
        </section>
        ${yield* axisCard(journey)}`
    })
  })

/** The deliveries on the time axis; nothing for readers who may view none. */
const axisCard = Effect.fnUntraced(function* ({ transaction, changes, deliveries, isPartial }: Journey) {
  if (deliveries === undefined) return html``
  const rows = yield* byIds(webhookType, new Set(deliveries.map(({ webhook }) => webhook)))
  const names = new Map(rows.map(({ id, name }) => [id, String(name)]))
  const objects = new Map(changes.map(({ change }) => [idxOf(change.place), objectText(change)]))
  const lines = deliveries.map((delivery) => {
    const webhook = names.get(delivery.webhook) ?? `deleted webhook ${delivery.webhook}`
    return { delivery, name: `${webhook} · ${objects.get(delivery.idx) ?? `change ${delivery.idx}`}` }
  })
  return html`<section class="card" aria-labelledby="axis-title">
    <div class="ch"><h2 id="axis-title">Attempts</h2></div>
    ${timeAxis(transaction.time, lines)}
    ${isPartial ? html`<p class="note sub">There are more webhooks or deliveries than this page reads.</p>` : ""}
  </section>`
})

const idxOf = (place: string): number => parsePosition(place).idx

export default {
  path: "/logging/journeys/:position/",
  access: changeType,
  methods: { GET: show }
} satisfies Route
