/** Objects that a user would see, counted by object type. */
import { Effect } from "effect"
import { clearancesOf } from "../../auth/Sight.ts"
import { registry } from "../../inventory/Registry.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { isNothing } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

/** Counts stop here. */
const countedMax = 1000

/** Counts, in one statement, the objects that the user may see, of those that the reader may see as well. */
export const seenBy = Effect.fnUntraced(function* (user: number) {
  const { where } = (yield* clearancesOf(new Set([user])))(user)
  const asked = [...registry.values()].flatMap((type) => {
    const visible = where(type, "view")
    return isNothing(visible) ? [] : [{ type, where: visible }]
  })
  const counts = yield* countEach(asked, countedMax)
  const seen = asked.flatMap(({ type }, at) => (counts[at] === 0 ? [] : [{ type, count: counts[at]! }]))
  if (seen.length === 0) return html`<p class="note">Nothing.</p>`
  return html`<ul class="rel columns">
    ${seen.map(
      ({ type, count }): Html =>
        html`<li>
          <a href="${pathOf(type)}"
            >${pluralOf(type)}<span class="cnt">${number(count)}${count < countedMax ? "" : " or more"}</span></a
          >
        </li>`
    )}
  </ul>`
})
