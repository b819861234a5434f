/** `/<app>/<type>/<id>/changelog/`: what was done to the object, the newest first. */
import { Effect } from "effect"
import { Settings } from "../../Config.ts"
import { missingView } from "../value/May.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { pageBounds } from "../../http/wire/Paging.ts"
import { mayView, visibleToSender } from "../../inventory/Clearance.ts"
import { textsIn } from "../../inventory/Field.ts"
import { filter } from "../../inventory/derive/filter/Filter.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { changeType, changes } from "../../inventory/read/Changes.ts"
import { countBeside } from "../../inventory/read/Count.ts"
import { html } from "../Html.ts"
import { withPageSize } from "../account/Preferences.ts"
import { changeFilterForm, changeFilters } from "../change/ChangeFilters.ts"
import { changeTable } from "../change/ChangeTable.ts"
import { changeWords } from "../change/ChangeWords.ts"
import { pager } from "../list/Pager.ts"
import { listedIn, objectOfTab, objectPage } from "./ObjectPage.ts"
import { nameOf, pathOf } from "../value/Title.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { row, view } = yield* objectOfTab(type, request)
      if (!(yield* mayView(changeType))) return yield* missingView(changeType)
      const { pageSize, pageSizeMax } = yield* Settings
      const query = request.url.searchParams
      const asked = withPageSize(request).url.searchParams
      const bounds = pageBounds(asked, { usual: pageSize, max: pageSizeMax })
      const { offset, limit = pageSize } = bounds
      const own = listedIn("changelog", type, row.id)
      const pairs = [...query].filter(([name, value]) => changeFilters.includes(name) && value !== "")
      const filtered = filter(changeType, pairs, yield* visibleToSender)
      const where = "errors" in filtered ? own : allOf(own, filtered.where)
      const found = yield* changes({ where, order: "newest first", limit, offset })
      const total = yield* countBeside(changeType, where, { limit, offset }, found.length)
      const words = yield* changeWords(found)
      const none = html`<div class="empty">
        <b>The log has no ${pairs.length === 0 ? "" : "such "}change of this ${nameOf(type)}.</b>
      </div>`
      return yield* objectPage(request, {
        ...{ type, row, view },
        tab: "changelog",
        main: html`<div class="tools">${changeFilterForm(query)}</div>
          ${"errors" in filtered ? html`<div class="alert-line" role="alert">${Object.values(filtered.errors).flatMap(textsIn).join(" ")}</div>` : ""}
          <div class="card">
            ${found.length === 0 ? none : changeTable(found, { caption: "Changes of the object", hides: ["object"], words })}
            ${total === 0 ? "" : pager({ query, limit, offset, count: found.length, total, most: pageSizeMax })}
          </div>`
      })
    })

export default [...registry.values()]
  .filter(({ kind }) => kind === "object")
  .map((type): Route => ({ path: `${pathOf(type)}:id/changelog/`, access: type, methods: { GET: show(type) } }))
