/** The form of a bulk edit, from the declaration of its type alone. */
import { type Errors, type Field, type Messages } from "../../inventory/Field.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type ObjectType, perType } from "../../inventory/ObjectType.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { objectType } from "../../inventory/Registry.ts"
import { Html, html } from "../Html.ts"
import { fieldTitle, pathOf, pluralOf } from "../value/Title.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { hidingInput } from "../form/Control.ts"
import type { Cells } from "../form/Cells.ts"
import { type FormField, formOf, isLong as isSeveralLines, targetOf } from "../form/FormField.ts"
import { type Labels, itemsOf, labelledIn, labelsOf } from "../form/Labels.ts"
import { chosenChips, pickerInput } from "../pick/PickerInput.ts"
import { listOf } from "./BulkPage.ts"
import { addTags, bulkFields, fieldPrefix, mayBeEmpty, removeTags } from "./Edit.ts"
import { type Selection, selectionInputs } from "./Selection.ts"

interface Form {
  readonly type: ObjectType
  readonly request: Request
  readonly selected: Selection
  /** The form as it was sent before. */
  readonly form: URLSearchParams
  /** By field; of tags by input. */
  readonly errors: Errors
  /** The displays of the objects that were chosen before. */
  readonly labels: Labels
}

export const editForm = ({ type, request, selected, form, errors, labels }: Form): Html => {
  const hasTags = Object.hasOwn(type.fields, "tags")
  const inputs = [...bulkFields(type).map(([name]) => name), ...(hasTags ? [addTags, removeTags] : [])]
  // The first wrong field gets the focus.
  const first = inputs.find((name) => Object.hasOwn(errors, name))
  const wordsOf = (name: string, messages: Messages): string =>
    inWordsAll({ type, name, messages, input: form.get(`${fieldPrefix}${name}`) ?? undefined })
  const row = (name: string, title: string, control: (common: Html) => Html, below: Html, beside?: Html): Html => {
    const error = errors[name]
    const common = html`id="f-${name}"
    ${error === undefined ? "" : html`aria-invalid="true" aria-describedby="e-${name}"`}
    ${name === first ? html`autofocus` : ""}`
    return html`<div class="form-row">
      <label for="f-${name}">${title}</label>
      <div>
        ${control(common)}${error === undefined ? "" : html`<p class="field-error" id="e-${name}">${wordsOf(name, error)}</p>`}${below}
      </div>
      ${beside ?? ""}
    </div>`
  }
  const picking = { cells: cellsIn(form), labels }
  const tagRow = (name: string, title: string) =>
    row(
      name,
      title,
      (common) => reference({ ...picking, field: tagField(name), name, cell: form.get(name) ?? "", common }),
      hint(type.fields["tags"]!)
    )
  return html`<form class="card object-form bulk-edit" method="post">
    ${selectionInputs(request, selected)}
    <p>Only fields that you fill in or set empty change.</p>
    ${bulkFields(type).map(([name, field]) =>
      row(
        name,
        fieldTitle(name),
        (common) => {
          const cell = form.get(`${fieldPrefix}${name}`) ?? ""
          const shown = fieldsOf(type).get(name)
          return shown?.control === "reference" || shown?.control === "references"
            ? reference({ ...picking, field: shown, name: `${fieldPrefix}${name}`, cell, common })
            : control(name, field, cell, common)
        },
        hint(field),
        mayBeEmpty(field) ? emptyBox(name, form.getAll("empty").includes(name)) : undefined
      )
    )}
    ${hasTags ? html`${tagRow(addTags, "Add tags")}${tagRow(removeTags, "Remove tags")}` : ""}
    <div class="form-end">
      <button class="btn btn-sm btn-primary" name="step" value="preview">Preview</button>
      <a class="btn btn-sm" href="${listOf(type, request)}">Cancel</a>
    </div>
  </form>`
}

/** The fields as the form of one object has them. */
const fieldsOf = perType((type) => new Map(formOf(type, []).fields.map((field) => [field.name, field])))

/** The values of a sent form by field. */
const cellsIn = (form: URLSearchParams): Cells =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      name.startsWith(fieldPrefix) ? [[name.slice(fieldPrefix.length), value] as const] : []
    )
  )

const tagField = (name: string): FormField => ({ ...tags, name })

const tags: FormField = {
  ...{ name: "tags", title: "Tags", control: "references", group: "", help: "", placeholder: "" },
  ...{ isRequired: false, isBlankable: true, target: "extras.tag" }
}

/** The displays of the objects that a sent form names. */
export const editLabels = (type: ObjectType, form: URLSearchParams, base: string) => {
  const tagCells = Object.fromEntries([addTags, removeTags].map((name) => [name, form.get(name) ?? ""]))
  const fields = [...fieldsOf(type).values(), tagField(addTags), tagField(removeTags)]
  return labelsOf({ type, fields }, [{ ...cellsIn(form), ...tagCells }], base)
}

interface Picking {
  readonly field: FormField
  readonly cells: Cells
  readonly labels: Labels
  readonly name: string
  readonly cell: string
  readonly common: Html
}

const reference = ({ field, cells, labels, name, cell, common }: Picking): Html => {
  const target = targetOf(field, cells)
  const isMany = field.control === "references"
  const items = isMany ? itemsOf(cell) : [cell.trim()]
  const named = target === undefined ? {} : labelledIn(target, items, labels)
  return pickerInput({
    adds: true,
    ...{ target, isMany, labels: named, fields: Object.keys(target?.fields ?? {}) },
    inputOf: (each) => `${fieldPrefix}${each}`,
    typeFrom:
      field.targetIn === undefined ? undefined : { field: field.targetIn, types: Object.keys(field.options ?? {}) },
    before: isMany ? chosenChips(Object.values(named)) : "",
    input: html`<input class="field-in" ${common} name="${name}" value="${cell}" autocomplete="off" />`
  })
}

const emptyBox = (name: string, isSet: boolean): Html =>
  html`<label class="box sub"
    ><input class="form-check-input" type="checkbox" name="empty" value="${name}" ${isSet ? html` checked` : ""} />Set
    empty<span class="visually-hidden">: ${fieldTitle(name)}</span></label
  >`

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const lineBreak = new Html("\n")

const control = (
  name: string,
  { choices, type, wire, maxLength, reference, sealed: isSealed }: Field,
  cell: string,
  common: Html
): Html => {
  const input = html`class="field-in" ${common} name="${fieldPrefix}${name}"`
  const options = choices ?? (type === "boolean" ? { true: "Yes", false: "No" } : undefined)
  if (options !== undefined && !type.endsWith("[]")) {
    return html`<select ${input}>
      <option value="">—</option>
      ${Object.entries(options).map(([key, label]) => html`<option value="${key}" ${key === cell ? html` selected` : ""}>${label}</option>`)}
    </select>`
  }
  if (wire === "write" && !isSeveralLines({ maxLength }))
    return html`<input ${hidingInput({ isSealed })} ${input} value="" />`
  const isLong =
    wire === "write" || type === "jsonb" || (type === "text" && maxLength === undefined && reference === undefined)
  return isLong
    ? html`<textarea rows="3" ${input}>${lineBreak}${wire === "write" ? "" : cell}</textarea>`
    : html`<input ${input} value="${cell}" autocomplete="off" />`
}

const hint = ({ reference, type }: Field): Html => {
  if (reference !== undefined) {
    const target = objectType(reference.type)
    const key = naturalKey(target)
    const ids = reference.many ? `Ids or ${key}s, separated by commas, of` : `Id or ${key} of`
    return html`<p class="sub links no-script">${ids} <a href="${pathOf(target)}">${pluralOf(target)}</a></p>`
  }
  const words = type === "jsonb" ? "JSON." : type.endsWith("[]") ? "Separated by commas." : ""
  return words === "" ? html`` : html`<p class="sub">${words}</p>`
}
