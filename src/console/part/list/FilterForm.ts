/** Filters of a list: a form of the type's fields, and a chip for each filter that is set. */
import type { Field } from "../../../inventory/Field.ts"
import { type ObjectType, perType } from "../../../inventory/ObjectType.ts"
import { type Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { changed, without } from "./Query.ts"
import { fieldTitle } from "../Title.ts"

/** Parameters of a list that are no filters. */
const controls: ReadonlySet<string> = new Set(["limit", "offset", "ordering", "columns"])

const active = (query: URLSearchParams): ReadonlyArray<readonly [name: string, value: string]> =>
  [...query].filter(([name, value]) => !controls.has(name) && value !== "")

/** One chip for each filter that is set; a click removes it. */
export const chips = (query: URLSearchParams): Html =>
  html`${active(query).map(
    ([name, value]) =>
      html`<a class="chip-f" href="${without(query, name, value)}"
        >${name === "q" ? "Search" : fieldTitle(name)}: ${value}${icon("x")}<span class="visually-hidden"
          >remove</span
        ></a
      >`
  )}`

/** Fields that the form asks about: their value is short, and people know it. */
const asked = perType((type): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(type.fields).filter(
    ([name, field]) =>
      field.isFiltered &&
      (field.wire === "both" || field.wire === "read") &&
      (field.choices !== undefined ||
        field.type === "boolean" ||
        field.type === "text" ||
        field.reference !== undefined) &&
      name !== "comments"
  )
)

export const filterForm = (type: ObjectType, query: URLSearchParams): Html => {
  const kept = [...query].filter(([name]) => controls.has(name) && name !== "offset")
  return html`<details class="filters">
    <summary class="btn btn-sm">${icon("filter")}Filters</summary>
    <form method="get">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${asked(type).map(([name, field]) => control(name, field, query))}
      <div class="end">
        <button class="btn btn-sm btn-primary">Apply</button>
        <a class="btn btn-sm" href="${changed(new URLSearchParams(kept), {})}">Clear</a>
      </div>
    </form>
  </details>`
}

const control = (name: string, { choices, type }: Field, query: URLSearchParams): Html => {
  const value = query.get(name) ?? ""
  const options = choices ?? (type === "boolean" ? { true: "Yes", false: "No" } : undefined)
  const title = fieldTitle(name)
  if (options === undefined) {
    return html`<label>${title}<input class="field-in" name="${name}" value="${value}" maxlength="200" /></label>`
  }
  return html`<label
    >${title}<select class="field-in" name="${name}">
      <option value="">Any</option>
      ${Object.entries(options).map(([key, label]) => html`<option value="${key}" ${key === value ? html` selected` : ""}>${label}</option>`)}
    </select></label
  >`
}
