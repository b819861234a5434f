/** The custom fields of an object, under the labels and in the groups that their definitions say. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import { isDictionary } from "../../inventory/Field.ts"
import type { CustomField } from "../../inventory/types/extras/CustomField.ts"
import { type Html, html } from "../Html.ts"
import { isEmpty } from "../value/FieldValue.ts"
import { markdown } from "../value/Markdown.ts"
import { fieldTitle } from "../value/Title.ts"
import { valueOf } from "../value/Value.ts"

/** Slices: a value may be a long text of Markdown. */
export const customFieldsCard = Effect.fnUntraced(function* (definitions: ReadonlyArray<CustomField>, values: unknown) {
  if (!isDictionary(values)) return html``
  const shown = definitions.filter(({ name, ui_visibility: seen }) => seen !== "hidden" && Object.hasOwn(values, name))
  const filled = shown.filter(({ name }) => !isEmpty(values[name]))
  const empty = shown.filter(({ name }) => isEmpty(values[name]))
  if (shown.length === 0) return html``
  const rows = yield* mapInSlices(filled, (definition) => ({
    group: definition.group_name,
    row: html`<dt>${titleOf(definition)}</dt>
      <dd>${customValue(definition, values[definition.name])}</dd>`
  }))
  const groups = [...Map.groupBy(rows, ({ group }) => group)]
  return html`<section class="card" aria-labelledby="custom-fields">
    <div class="ch"><h2 id="custom-fields">Custom fields</h2></div>
    ${groups.map(
      ([group, own]) =>
        html`${group === "" ? "" : html`<h3 class="group">${group}</h3>`}
          <dl class="attrs">${own.map(({ row }) => row)}</dl>`
    )}
    ${emptyFields(empty.map(titleOf))}
  </section>`
})

/** The titles of what has no value, folded. */
export const emptyFields = (titles: ReadonlyArray<string>): Html =>
  titles.length === 0
    ? html``
    : html`<details class="empties">
        <summary>${titles.length} empty</summary>
        <p>${titles.join(", ")}</p>
      </details>`

const titleOf = ({ label, name }: CustomField): string => (label === "" ? fieldTitle(name) : label)

const customValue = ({ type }: CustomField, value: unknown): Html =>
  type === "longtext" && typeof value === "string" ? markdown(value) : valueOf(value)
