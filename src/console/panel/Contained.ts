/** Objects whose addresses are in the network of this one: the first of them, and the way to all. */
import { Effect } from "effect"
import { mayView } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { containedIn } from "../../inventory/read/Prefixes.ts"
import { html } from "../Html.ts"
import { pathOf } from "../value/Title.ts"
import { objectRows, tableOf } from "./part/ObjectRows.ts"
import { card, drawing, panelId } from "./Panel.ts"

/** Most objects that a panel shows. */
const rowsMax = 50

export default drawing("contained", "wide", ({ title, type: id, field, vrf, shows }, { row, request }) =>
  Effect.gen(function* () {
    const type = objectType(id)
    if (!(yield* mayView(type))) return undefined
    const where = containedIn(String(row["prefix"]), row[vrf] as number | null, type, field)
    const page = { where, ordering: type.ordering, limit: rowsMax + 1, offset: 0, isCut: true }
    const { rows, beside } = yield* tableOf(type, page, shows)
    if (rows.length === 0) return undefined
    const all = `${pathOf(type)}?${new URLSearchParams({ parent: String(row["prefix"]), vrf_id: typeof row[vrf] === "number" ? `${row[vrf]}` : "null" })}`
    return card(
      panelId(title),
      title,
      yield* objectRows({ title, type, rows, beside, rowsMax, shows, base: request.base, all }),
      html`<span class="grow"></span><a class="btn btn-sm" href="${all}">List</a>`
    )
  })
)
