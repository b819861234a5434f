/**
 * `/<app>/<type>/<id>/picked/`: shown after an object was added from a picker in another tab. A script publishes
 * the object to the picker (picked.js); without scripts the page says what to do.
 */
import { Effect } from "effect"
import type { Handler, Route } from "../../http/Route.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { html } from "../Html.ts"
import { writtenTypes } from "../form/Opened.ts"
import { objectOfTab, objectPage } from "../object/ObjectPage.ts"
import { capital, nameOf, pathOf } from "../value/Title.ts"
import { waitingPicker } from "./Waiting.ts"

const show =
  (type: ObjectType): Handler =>
  (request) =>
    Effect.gen(function* () {
      const { row, view } = yield* objectOfTab(type, request)
      const token = waitingPicker(request) ?? ""
      const display = type.display(row, view)
      return yield* objectPage(request, {
        ...{ type, row, view },
        main: html`<p class="card note" data-picked-for="${token}" data-id="${row.id}" data-display="${display}">
          ${capital(nameOf(type))} <b>${display}</b> was added. Close this tab, and choose it in the other one.
        </p>`
      })
    })

export default writtenTypes.map((type): Route => ({
  path: `${pathOf(type)}:id/picked/`,
  access: type,
  methods: { GET: show(type) }
}))
