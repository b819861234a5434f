/** `/<app>/<type>/<id>/deliveries/`: the deliveries about the object, with their times and outcomes. */
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
import { deliveryTable } from "./DeliveryTable.ts"
import { listedIn, objectOfTab, objectPage } from "./ObjectPage.ts"
import { nameOf, pathOf } from "../value/Title.ts"

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
      const isWebhook = type.id === "extras.webhook"
      // A webhook has a tab of what waits for it.
      const waits = !isWebhook && isEverything(yield* cleared(deliveryType, "view"))
      const waiting = new URLSearchParams({ object_type: type.id, object_id: `${row.id}` })
      return yield* objectPage(request, {
        ...{ type, row, view },
        tab: "deliveries",
        main: html`${waits ? html`<p class="links"><a href="${withQuery(waitingPath, waiting)}">Deliveries that wait</a></p>` : ""}
          <div class="card">
            ${
              rows.length === 0
                ? html`<div class="empty"><b>No webhook has a delivery about this ${nameOf(type)}.</b></div>`
                : deliveryTable(rows, deliveries, isWebhook ? "of a webhook" : "of an object", objectIn)
            }
            ${total === 0 ? "" : pager({ query, limit, offset, count: rows.length, total, most: pageSizeMax })}
          </div>
          ${yield* coveringCard(type)}`
      })
    })

export default [...registry.values()]
  .filter(({ kind }) => kind === "object")
  .map((type): Route => ({ path: `${pathOf(type)}:id/deliveries/`, access: type, methods: { GET: show(type) } }))
