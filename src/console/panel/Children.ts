/** Objects of a type that name this one in a field: the first of them, and the way to all. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { html } from "../Html.ts"
import { writtenTypes } from "../form/Opened.ts"
import { icon } from "../frame/Icon.ts"
import { cellValue, shortened } from "../list/Cell.ts"
import { fieldTitle, nameOf, pathOf } from "../value/Title.ts"
import { card, drawing, panelId } from "./Panel.ts"

/** Most objects that a panel shows. */
const shownMax = 50

export default drawing("children", "wide", ({ title, type: id, field, shows }, { row, request }) =>
  Effect.gen(function* () {
    const type = objectType(id)
    if (!(yield* mayView(type))) return undefined
    const { rows, beside } = yield* readPage(type, {
      ...{ where: equalTo(type, { [field]: row.id }), ordering: type.ordering, limit: shownMax + 1, offset: 0 },
      isCut: true
    })
    if (rows.length === 0) return undefined
    const view = yield* viewFor(type, rows, request.base, beside)
    const lines = yield* mapInSlices(rows.slice(0, shownMax), (each) => {
      const shown = representation(type, each, view)
      return html`<tr>
        <th scope="row"><a href="${pathOf(type, each.id)}">${shortened(String(shown["display"]))}</a></th>
        ${shows.map((name, at) => html`<td${at > 0 ? html` class="lo"` : ""}>${cellValue(shown[name])}</td>`)}
      </tr>`
    })
    const all = `${pathOf(type)}?${field}_id=${row.id}`
    const mayAdd = writtenTypes.includes(type) && (yield* mayDo(type, "add"))
    return card(
      panelId(title),
      title,
      html`<div class="table-responsive">
          <table class="table table-vcenter card-table dense">
            <caption class="visually-hidden">
              ${title}
            </caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                ${shows.map((name, at) => html`<th scope="col" ${at > 0 ? html` class="lo"` : ""}>${fieldTitle(name)}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${lines}
            </tbody>
          </table>
        </div>
        ${rows.length > shownMax ? html`<p class="note sub">The first ${shownMax}. <a href="${all}">Show all</a></p>` : ""}`,
      html`<span class="grow"></span><a class="btn btn-sm" href="${all}">List</a>${
          mayAdd
            ? html`<a class="btn btn-sm" href="${pathOf(type)}add/?${field}=${row.id}"
                >${icon("plus")}Add ${nameOf(type)}</a
              >`
            : ""
        }`
    )
  })
)
