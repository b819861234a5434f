/** The filter by objects that a field refers to: a picker of several. Without scripts, boxes and a text. */
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { keysOf } from "../form/FormField.ts"
import { chosenChips, pickerInput } from "../pick/PickerInput.ts"
import { fieldTitle } from "../value/Title.ts"
import { type NamedObjects, pickedFields } from "./NamedObjects.ts"

const idName = (field: string): string => `${field}_id`

/** Whether the query names objects by key alone: the picker shows these, and sends their ids. */
export const isByKey = (field: string, query: URLSearchParams): boolean => !query.has(idName(field))

const valuesOf = (field: string, query: URLSearchParams, named: NamedObjects): ReadonlyArray<string> => {
  const values = isByKey(field, query)
    ? query.getAll(field).flatMap((key) => {
        const ids = named.ids(field, key)
        return ids.length === 0 ? [key] : ids
      })
    : query.getAll(idName(field))
  return [...new Set(values)].filter((value) => value !== "")
}

export const referenceFilter = (type: ObjectType, field: string, query: URLSearchParams, named: NamedObjects): Html => {
  const name = idName(field)
  const target = objectType(type.fields[field]!.reference!.type)
  const values = valuesOf(field, query, named)
  const labels = Object.fromEntries(
    values.map((value) => [value, named.label(name, value) ?? (value === "null" ? "None" : value)])
  )
  return html`<div class="filter-field">
    <label for="filter-${field}">${fieldTitle(field)}</label>
    ${pickerInput({
      ...{ target, labels, isMany: true, each: name, fields: pickedFields(type), inputOf: idName },
      before: chosenChips(
        values.map(
          (value) =>
            html`<label><input type="checkbox" name="${name}" value="${value}" checked />${labels[value]!}</label>`
        )
      ),
      input: html`<input
        class="field-in"
        id="filter-${field}"
        name="${name}"
        placeholder="${keysOf(target, true)}"
        maxlength="1000"
        autocomplete="off"
      />`
    })}
  </div>`
}
