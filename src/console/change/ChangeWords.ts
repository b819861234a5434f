/** Changes in words: `Status planned → active, Tenant — → Acme and 2 more`. */
import { Effect } from "effect"
import { isDictionary } from "../../inventory/Field.ts"
import { registry } from "../../inventory/Registry.ts"
import { type ChangeBrief, changeBriefs } from "../../inventory/read/ChangeBriefs.ts"
import type { Change, ChangedField } from "../../inventory/read/Changes.ts"
import { type Html, html } from "../Html.ts"
import { shortened } from "../list/Cell.ts"
import { type Difference, comparing, pathText } from "../value/Diff.ts"
import { timeOf } from "../value/Time.ts"
import { fieldTitle } from "../value/Title.ts"
import { isTime, none } from "../value/Value.ts"
import { type NameLookup, namedInAll } from "./Named.ts"

/** Fields of a change that are shown. */
const shownMax = 3

/** Most characters of a value, and most items of a list. */
const charsMax = 40
const itemsMax = 3

/** The words of each change by its id, as far as the reader may see what it changed. */
export const changeWords = Effect.fnUntraced(function* (
  changes: ReadonlyArray<Pick<Change, "id" | "time" | "action" | "changed_object_type" | "message">>
) {
  const briefs = yield* changeBriefs(changes)
  const typeOf = new Map(changes.map(({ id, changed_object_type: type }) => [id, registry.get(type)]))
  const shown = [...briefs].flatMap(([id, { fields }]) => [{ type: typeOf.get(id), fields: fields.slice(0, shownMax) }])
  const named = yield* namedInAll(shown, "")
  return new Map(
    changes.map(({ id, message }) => {
      const brief = briefs.get(id)
      const reason = message === "" ? "" : html`<span class="sub reason">${shortened(message, 2 * charsMax)}</span>`
      return [
        id,
        html`${brief === undefined ? "" : words(brief, (field, value) => named(typeOf.get(id), field, value))}${reason}`
      ]
    })
  )
})

const words = ({ fields, others }: ChangeBrief, named: NameLookup): Html => {
  const rest = others + Math.max(0, fields.length - shownMax)
  if (fields.length === 0) return html``
  return html`<ul class="did">
    ${fields.slice(0, shownMax).map((field) => html`<li>${fieldWords(field, named)}</li>`)}
    ${rest > 0 ? html`<li class="sub">and ${rest} more</li>` : ""}
  </ul>`
}

const fieldWords = (field: ChangedField, named: NameLookup): Html => {
  const { name, before, after } = field
  const title = html`<b>${fieldTitle(name)}</b>`
  if (before.cutFrom !== undefined || after.cutFrom !== undefined) return html`${title} changed`
  const [difference, next] = first(before.value, after.value)
  if (difference === undefined) return html`${title} changed`
  if (difference.words !== undefined) return html`${title} changed`
  if (difference.items !== undefined) return html`${title} ${itemWords(difference.items, name, named)}`
  const path =
    difference.path.length === 0 ? title : html`<b>${shortened(pathText([name, ...difference.path]), charsMax)}</b>`
  const side = (value: unknown): Html => sideWords(value, difference.path.length === 0 ? name : "", named)
  return html`${path} ${side(difference.before)} → ${side(difference.after)}${next === undefined ? "" : " …"}`
}

/** The first differences of two values of some hundred characters. */
const first = (before: unknown, after: unknown): readonly [Difference?, Difference?] => {
  const steps = comparing(before, after)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const [one, other] = step.value.found
  return one === undefined ? [] : other === undefined ? [one] : [one, other]
}

const sideWords = (value: unknown, field: string, named: NameLookup): Html => {
  if (value === undefined || value === null || value === "") return none
  const known = named(field, value)
  if (known !== undefined) return known
  if (typeof value === "boolean") return html`${value ? "Yes" : "No"}`
  if (typeof value === "string") return isTime(value) ? timeOf(value) : html`${shortened(value, charsMax)}`
  const isEmpty = Array.isArray(value) ? value.length === 0 : isDictionary(value) && Object.keys(value).length === 0
  return isEmpty ? none : html`${shortened(JSON.stringify(value), charsMax)}`
}

/** `+ Edge, − Lab`. */
const itemWords = (items: NonNullable<Difference["items"]>, field: string, named: NameLookup): Html => {
  const changed = items.filter(({ kind }) => kind !== "same")
  const rest = changed.length - itemsMax
  return html`${changed.slice(0, itemsMax).map(({ kind, text }, at) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : text
    return html`${at === 0 ? "" : ", "}${kind === "added" ? "+" : "−"}
    ${named(field, value) ?? shortened(text, charsMax)}`
  })}${rest > 0 ? `, and ${rest} more` : ""}`
}
