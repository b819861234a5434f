/**
 * `/<app>/<type>/<id>/deliveries/`: the deliveries about the object, to the webhook, or to the webhooks of the source,
 * with their times and outcomes.
 */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { missingView } from "../value/May.ts"
import { objectsOfDeliveries } from "../../history/source/SourceObjects.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { pageBounds } from "../../http/wire/Paging.ts"
import { cleared, mayView } from "../../inventory/Clearance.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { html } from "../Html.ts"
import { withPageSize } from "../account/Preferences.ts"
import { pager } from "../list/Pager.ts"
import { withQuery } from "../list/Query.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"
import { coveringCard } from "./Covering.ts"
import { type DeliveryExtent, deliveryTable } from "./DeliveryTable.ts"
import { listedIn, objectOfTab, objectPage } from "./ObjectPage.ts"
import { nameOf, pathOf } from "../value/Title.ts"

/** Types relation deliveries are others than those about an object of them. */
const extents: ReadonlyMap<string, { readonly extent: DeliveryExtent; readonly relation: string }> = new Map([
  ["extras.webhook", { extent: "of a webhook", relation: "to this webhook" }],
  ["extras.source", { extent: "of a source", relation: "to a webhook of this source" }]
])

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { row, view } = yield* objectOfTab(type, request)
      if (!(yield* mayView(deliveryType))) return yield* missingView(deliveryType)
      const { pageSize, pageSizeMax } = yield* Settings
      const query = request.url.searchParams
      const asked = withPageSize(request).url.searchParams
      const { offset, limit = pageSize } = pageBounds(asked, { usual: pageSize, max: pageSizeMax })
      const where = listedIn("deliveries", type, row.id)
      const { rows, beside } = yield* readPage(deliveryType, { where, ordering: ["-time"], limit, offset, isCut: true })
      const deliveries = yield* viewFor(deliveryType, rows, request.base, beside)
      const objectIn = yield* objectsOfDeliveries(rows)
      const total = yield* countBeside(deliveryType, where, { limit, offset }, rows.length)
      const { extent, relation } = extents.get(type.id) ?? {
        extent: "of an object",
        relation: `about this ${nameOf(type)}`
      }
      const isAbout = extent === "of an object"
      // A webhook has a tab of the deliveries that wait for it.
      const waits = isAbout && isEverything(yield* cleared(deliveryType, "view"))
      const waiting = new URLSearchParams({ object_type: type.id, object_id: `${row.id}` })
      return yield* objectPage(request, {
        ...{ type, row, view },
        tab: "deliveries",
        main: html`${waits ? html`<p class="links"><a href="${withQuery(waitingPath, waiting)}">Deliveries that wait</a></p>` : ""}
          <div class="card">
            ${
              rows.length === 0
                ? html`<div class="empty"><b>There is no delivery ${relation}.</b></div>`
                : deliveryTable(rows, deliveries, extent, objectIn)
            }
            ${total === 0 ? "" : pager({ query, limit, offset, count: rows.length, total, most: pageSizeMax })}
          </div>
          ${isAbout ? yield* coveringCard(type) : ""}`
      })
    })

export default [...registry.values()]
  .filter(({ kind }) => kind === "object")
  .map((type): Route => ({ path: `${pathOf(type)}:id/deliveries/`, access: type, methods: { GET: show(type) } }))
