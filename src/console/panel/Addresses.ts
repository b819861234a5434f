/** The addresses of an interface. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { objectType } from "../../inventory/Registry.ts"
import { html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { withQuery } from "../list/Query.ts"
import { pathOf } from "../value/Title.ts"
import { objectRows, tableOf } from "./part/ObjectRows.ts"
import { card, drawing } from "./Panel.ts"

const addressType = objectType("ipam.ipaddress")

/** Most addresses that are shown. */
const rowsMax = 100

const shows = ["status", "role", "vrf", "dns_name"]

export default drawing("addresses", "main", (_, { type, row, request }) =>
  Effect.gen(function* () {
    if (!(yield* mayView(addressType))) return undefined
    const assigned = { assigned_object_type: type.id, assigned_object_id: `${row.id}` }
    const where = equalTo(addressType, assigned)
    const page = { where, ordering: ["address"], limit: rowsMax + 1, offset: 0, isCut: true }
    const { rows, beside } = yield* tableOf(addressType, page, shows)
    const mayAdd = yield* mayDo(addressType, "add")
    const add = withQuery(`${pathOf(addressType)}add/`, new URLSearchParams(assigned))
    return card(
      "addresses",
      "Addresses",
      rows.length === 0
        ? html`<p class="note">It has none.</p>`
        : yield* objectRows({
            ...{ title: "Addresses", type: addressType, rows, beside, rowsMax, shows, base: request.base },
            all: withQuery(pathOf(addressType), new URLSearchParams(assigned))
          }),
      html`<span class="grow"></span
        >${mayAdd ? html`<a class="btn btn-sm" href="${add}">${icon("plus")}Add address</a>` : ""}`
    )
  })
)
