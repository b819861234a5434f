/** Objects that a user would see, counted by object type. */
import { Effect } from "effect"
import { clearancesOf } from "../../auth/Sight.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { registry } from "../../inventory/Registry.ts"
import { countEach } from "../../inventory/read/CountEach.ts"
import { type Where, isNothing } from "../../inventory/derive/filter/Where.ts"
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
  return seen.length === 0 ? html`<p class="note">Nothing.</p>` : countList(seen)
})

/** Counts, in one statement, the objects that meet the condition of their type, of those that the reader may see. */
export const countedList = (asked: ReadonlyArray<{ readonly type: ObjectType; readonly where: Where }>) =>
  Effect.map(countEach(asked, countedMax), (counts) =>
    countList(asked.map(({ type }, at) => ({ type, count: counts[at]! })))
  )

const countList = (counts: ReadonlyArray<{ readonly type: ObjectType; readonly count: number }>): Html =>
  html`<ul class="rel columns">
    ${counts.map(
      ({ type, count }): Html =>
        html`<li>
          <a href="${pathOf(type)}"
            >${pluralOf(type)}<span class="cnt">${number(count)}${count < countedMax ? "" : " or more"}</span></a
          >
        </li>`
    )}
  </ul>`
