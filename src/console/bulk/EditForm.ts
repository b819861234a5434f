/** The form of a bulk edit, from the declaration of its type alone. */
import { type Errors, type Field, type Messages } from "../../inventory/Field.ts"
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { naturalKey } from "../../inventory/derive/filter/Path.ts"
import { objectType } from "../../inventory/Registry.ts"
import { Html, html } from "../Html.ts"
import { fieldTitle, pathOf, pluralOf } from "../value/Title.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { hidingInput } from "../form/Control.ts"
import { isLong as isSeveralLines } from "../form/FormField.ts"
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
}

export const editForm = ({ type, request, selected, form, errors }: Form): Html => {
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
  const tagRow = (name: string, title: string) =>
    row(
      name,
      title,
      (common) =>
        html`<input class="field-in" ${common} name="${name}" value="${form.get(name) ?? ""}" autocomplete="off" />`,
      html`<p class="sub links">Slugs or ids, separated by commas, of <a href="/extras/tags/">Tags</a></p>`
    )
  return html`<form class="card object-form bulk-edit" method="post">
    ${selectionInputs(request, selected)}
    <p>Only fields that you fill in or set empty change.</p>
    ${bulkFields(type).map(([name, field]) =>
      row(
        name,
        fieldTitle(name),
        (common) => control(name, field, form.get(`${fieldPrefix}${name}`) ?? "", common),
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
    return html`<p class="sub links">${ids} <a href="${pathOf(target)}">${pluralOf(target)}</a></p>`
  }
  const words = type === "jsonb" ? "JSON." : type.endsWith("[]") ? "Separated by commas." : ""
  return words === "" ? html`` : html`<p class="sub">${words}</p>`
}
