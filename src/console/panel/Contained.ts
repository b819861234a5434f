/** Objects whose addresses are in the network of this one: the first of them, and the way to all. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { objectType } from "../../inventory/Registry.ts"
import { containedIn } from "../../inventory/read/Prefixes.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { html } from "../Html.ts"
import { cellValue, shortened } from "../list/Cell.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { card, drawing, panelId } from "./Panel.ts"

/** Most objects that a panel shows. */
const shownMax = 50

export default drawing("contained", "wide", ({ title, type: id, field, vrf, shows }, { row, request }) =>
  Effect.gen(function* () {
    const type = objectType(id)
    if (!(yield* mayView(type))) return undefined
    const where = containedIn(String(row["prefix"]), row[vrf] as number | null, type, field)
    const page = { where, ordering: type.ordering, limit: shownMax + 1, offset: 0, isCut: true }
    const { rows, beside } = yield* readPage(type, page)
    if (rows.length === 0) return undefined
    const view = yield* viewFor(type, rows, request.base, beside)
    const lines = yield* mapInSlices(rows.slice(0, shownMax), (each) => {
      const shown = representation(type, each, view) as Readonly<Record<string, unknown>>
      return html`<tr>
        <th scope="row"><a href="${pathOf(type, each.id)}">${shortened(String(shown["display"]))}</a></th>
        ${shows.map((name, at) => html`<td${at > 0 ? html` class="lo"` : ""}>${cellValue(shown[name])}</td>`)}
      </tr>`
    })
    const all = `${pathOf(type)}?${new URLSearchParams({ parent: String(row["prefix"]), vrf_id: typeof row[vrf] === "number" ? `${row[vrf]}` : "null" })}`
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
        ${rows.length > shownMax ? html`<p class="note sub">${shownMax} of them. <a href="${all}">Show all</a></p>` : ""}`,
      html`<span class="grow"></span><a class="btn btn-sm" href="${all}">List</a>`
    )
  })
)
