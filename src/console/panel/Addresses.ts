/** The addresses of an interface. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { withQuery } from "../list/Query.ts"
import { fieldCell } from "../value/FieldValue.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { card, drawing } from "./Panel.ts"

const addressType = objectType("ipam.ipaddress")

/** Most addresses that are shown. */
const shownMax = 100

const columns = ["status", "role", "vrf", "dns_name"]

export default drawing("addresses", "main", (_, { type, row, request }) =>
  Effect.gen(function* () {
    if (!(yield* mayView(addressType))) return undefined
    const assigned = { assigned_object_type: type.id, assigned_object_id: `${row.id}` }
    const { rows, beside } = yield* readPage(addressType, {
      ...{ where: equalTo(addressType, assigned), ordering: ["address"], limit: shownMax + 1, offset: 0, isCut: true }
    })
    const view = yield* viewFor(addressType, rows, request.base, beside)
    const lines = yield* mapInSlices(rows.slice(0, shownMax), (each) => {
      const shown = representation(addressType, each, view)
      return html`<tr>
        <th scope="row"><a class="mono" href="${pathOf(addressType, each.id)}">${String(shown["display"])}</a></th>
        ${columns.map((name, at) => html`<td${at > 0 ? html` class="lo"` : ""}>${fieldCell(addressType, name, shown)}</td>`)}
      </tr>`
    })
    const mayAdd = yield* mayDo(addressType, "add")
    const add = withQuery(`${pathOf(addressType)}add/`, new URLSearchParams(assigned))
    return card(
      "addresses",
      "Addresses",
      rows.length === 0
        ? html`<p class="note">It has none.</p>`
        : html`<div class="table-responsive">
              <table class="table table-vcenter card-table dense">
                <caption class="visually-hidden">
                  Addresses
                </caption>
                <thead>
                  <tr>
                    <th scope="col">Address</th>
                    ${columns.map((name, at) => html`<th scope="col" ${at > 0 ? html` class="lo"` : ""}>${fieldTitle(name)}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${lines}
                </tbody>
              </table>
            </div>
            ${rows.length > shownMax ? html`<p class="note sub">The first ${shownMax} are shown.</p>` : ""}`,
      html`<span class="grow"></span
        >${mayAdd ? html`<a class="btn btn-sm" href="${add}">${icon("plus")}Add address</a>` : ""}`
    )
  })
)
