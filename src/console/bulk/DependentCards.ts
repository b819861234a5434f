/** The consequences of a deletion for other objects: a card each for what forbids it, is deleted with it, is cleared. */
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { fieldTitle, inSentence, pathOf, pluralOf } from "../value/Title.ts"
import { counted } from "./BulkPage.ts"
import { type Dependents, countedMax } from "../../inventory/read/Dependents.ts"

const titles: Readonly<Record<Dependents["effect"], string>> = {
  forbid: "These forbid it",
  delete: "Deleted with it",
  clear: "Lose the reference to it"
}

/** Most ids in the address of a link. */
const linkedMax = 200

export const dependentCards = (dependents: ReadonlyArray<Dependents>): Html =>
  html`${(["forbid", "delete", "clear"] as const).map((effect) =>
    effectCard(
      effect,
      dependents.filter((each) => each.effect === effect)
    )
  )}`

const effectCard = (effect: Dependents["effect"], dependents: ReadonlyArray<Dependents>): Html => {
  if (dependents.length === 0) return html``
  const total = dependents.reduce((sum, { ids }) => sum + ids.length, 0)
  const isWhole = dependents.every(({ ids }) => ids.length < countedMax)
  return html`<section class="card" aria-labelledby="effect-${effect}">
    <div class="ch">
      <h2 id="effect-${effect}">${titles[effect]}</h2>
      <span class="cnt">${number(total)}${isWhole ? "" : "+"}</span>
    </div>
    <ul class="named">
      ${dependents.map((each) => html`<li>${linked(each)} <span class="sub">by ${inSentence(fieldTitle(each.field))}</span></li>`)}
    </ul>
  </section>`
}

/** The count of the objects, as a link to their list where its address would not be too long. */
const linked = (dependents: Dependents): Html => {
  const { type, ids } = dependents
  const text =
    ids.length < countedMax ? counted(type, ids.length) : `${countedMax} or more ${inSentence(pluralOf(type))}`
  const query = queryOf(dependents)
  return query === undefined ? html`${text}` : html`<a href="${pathOf(type)}?${query}">${text}</a>`
}

const queryOf = ({ ids, filter, targets }: Dependents): string | undefined => {
  const repeated = (name: string, values: ReadonlyArray<number>) => values.map((id) => `${name}=${id}`).join("&")
  if (ids.length <= linkedMax) return repeated("id", ids)
  return filter === undefined || targets.length > linkedMax ? undefined : repeated(filter, targets)
}
