/** Objects of a type that name this one in a field: the first of them, and the way to all. */
import { Effect } from "effect"
import { mayDo, mayView } from "../../inventory/Clearance.ts"
import { equalTo } from "../../inventory/derive/filter/Where.ts"
import { objectType } from "../../inventory/Registry.ts"
import { html } from "../Html.ts"
import { writtenTypes } from "../form/Opened.ts"
import { icon } from "../frame/Icon.ts"
import { nameOf, pathOf } from "../value/Title.ts"
import { objectRows, tableOf } from "./part/ObjectRows.ts"
import { card, drawing, panelId } from "./Panel.ts"

/** Most objects that a panel shows. */
const rowsMax = 50

export default drawing("children", "wide", ({ title, type: id, field, shows }, { row, request }) =>
  Effect.gen(function* () {
    const type = objectType(id)
    if (!(yield* mayView(type))) return undefined
    const where = equalTo(type, { [field]: row.id })
    const page = { where, ordering: type.ordering, limit: rowsMax + 1, offset: 0, isCut: true }
    const { rows, beside } = yield* tableOf(type, page, shows)
    if (rows.length === 0) return undefined
    const all = `${pathOf(type)}?${field}_id=${row.id}`
    const mayAdd = writtenTypes.includes(type) && (yield* mayDo(type, "add"))
    return card(
      panelId(title),
      title,
      yield* objectRows({ title, type, rows, beside, rowsMax, shows, base: request.base, all }),
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
