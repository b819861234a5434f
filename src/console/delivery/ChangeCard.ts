/** The change of a delivery, field by field. */
import { Effect } from "effect"
import { registry } from "../../inventory/Registry.ts"
import { type Change, changeType, changedFields } from "../../inventory/read/Changes.ts"
import { html } from "../Html.ts"
import { diffTable } from "../change/DiffTable.ts"
import { namedFor } from "../change/Named.ts"
import { pathOf } from "../value/Title.ts"

export const changeCard = Effect.fnUntraced(function* (change: Change, base: string) {
  const type = registry.get(change.changed_object_type)
  const fields = yield* changedFields(change)
  const isUpdate = change.action === "update"
  const compared = isUpdate ? fields.filter(({ isChanged }) => isChanged) : fields
  const { count, table } = yield* diffTable(compared, { named: yield* namedFor(type, compared, base) })
  return html`<section class="card" aria-labelledby="changed">
    <div class="ch">
      <h2 id="changed">${isUpdate ? "What changed" : "Values"}</h2>
      ${isUpdate ? html`<span class="sub">${count} of ${fields.length} fields</span>` : ""}
      <span class="grow"></span>
      <span class="links"><a href="${pathOf(changeType, change.id)}">Change #${change.id}</a></span>
    </div>
    ${table}
  </section>`
})
