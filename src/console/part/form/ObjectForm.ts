/**
 * The form of an object, from the declaration of its type alone. A form holds texts, so it holds an object as the cells
 * of a table do: references by id or name, lists with commas, dictionaries as JSON.
 */
import type { Errors, Field, Messages, Row } from "../../../inventory/Field.ts"
import { type ObjectType, fieldOf, perType } from "../../../inventory/ObjectType.ts"
import { bodyOfCells, cellOf, withNamedReferences } from "../../../inventory/derive/represent/Flat.ts"
import { naturalKey } from "../../../inventory/derive/filter/Path.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { shownOf } from "../../../inventory/Unreadable.ts"
import { Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { fieldTitle, pathOf, pluralOf } from "../Title.ts"

export type Cells = Readonly<Record<string, string>>

/** The fields that people may set. */
const formFields = perType((type): ReadonlyArray<readonly [name: string, field: Field]> =>
  Object.entries(type.fields).filter(([, { wire }]) => wire === "both" || wire === "write")
)

/** The cells of a row; of a new object, those of the declared defaults. Secrets are left out. */
export const cellsOf = (type: ObjectType, row: Row | undefined): Cells =>
  Object.fromEntries(
    formFields(type).map(([name, { wire, initial }]) => {
      const value = row === undefined ? initial?.() : shownOf(row[name])
      return [name, wire === "write" ? "" : cellOf(value)]
    })
  )

/** The cells that a form sends. */
export const cellsIn = (type: ObjectType, form: URLSearchParams): Cells =>
  Object.fromEntries(
    formFields(type).flatMap(([name]) => {
      const cell = form.get(name)
      return cell === null ? [] : [[name, cell.replaceAll("\r\n", "\n")]]
    })
  )

/** The body of a write that changes these cells to those: what stayed as it was is left out. */
export const bodyOf = (type: ObjectType, before: Cells, cells: Cells): unknown => {
  const changed = Object.entries(cells).filter(([name, cell]) => cell.trim() !== (before[name] ?? "").trim())
  const emptied = changed.filter(([name, cell]) => cell.trim() === "" && fieldOf(type, name).wire === "both")
  return withNamedReferences(type, {
    ...bodyOfCells(type, Object.fromEntries(changed)),
    ...Object.fromEntries(emptied.map(([name]) => [name, blankOf(fieldOf(type, name))]))
  })
}

const blankOf = ({ reference, type, nullable }: Field): unknown => {
  if (reference?.many === true || type.endsWith("[]")) return []
  return nullable || type !== "text" ? null : ""
}

interface Shown {
  readonly type: ObjectType
  readonly cells: Cells
  readonly errors: Errors
  /** Cells as they are now, if somebody else has changed the object. */
  readonly now?: Cells | undefined
  readonly token: string
  /** ETag of the object that the form was made of; absent for a new one. */
  readonly version?: string | undefined
  readonly submit: string
  readonly cancel: string
}

/** The form, with the faults of what was sent before. Without scripts it works alike. */
export const objectForm = ({ type, cells, errors, now, token, version, submit, cancel }: Shown): Html => {
  const names = formFields(type).map(([name]) => name)
  const general = Object.entries(errors).filter(([name]) => !names.includes(name))
  const wrong = Object.keys(errors).length
  // The first wrong field gets the focus.
  const first = names.find((name) => Object.hasOwn(errors, name))
  return html`${wrong > 0 ? html`<div class="alert-line" role="alert"><b>Nothing was saved.</b> ${general.map(([, messages]) => html`<div>${textOf(messages)}</div>`)}${wrong > general.length ? html`<div>Look at the marked fields.</div>` : ""}</div>` : ""}
    <form class="card object-form" method="post">
      <input type="hidden" name="csrfmiddlewaretoken" value="${token}" />
      ${version === undefined ? "" : html`<input type="hidden" name="version" value="${version}" />`}
      ${formFields(type).map(([name, field]) =>
        row({ name, field, cell: cells[name] ?? "", error: errors[name], other: now?.[name], hasFocus: name === first })
      )}
      <div class="form-end">
        <button class="btn btn-sm btn-primary">${icon("check")}${submit}</button>
        <a class="btn btn-sm" href="${cancel}">Cancel</a>
      </div>
    </form>`
}

interface Line {
  readonly name: string
  readonly field: Field
  readonly cell: string
  readonly error: Messages | undefined
  readonly other: string | undefined
  readonly hasFocus: boolean
}

const row = (line: Line): Html => {
  const { name, field, cell, error, other } = line
  const isRequired = field.initial === undefined
  return html`<div class="form-row">
    <label for="f-${name}"
      >${fieldTitle(name)}${isRequired ? html`<span class="required" title="required">*</span>` : ""}</label
    >
    <div>
      ${control(line)} ${error === undefined ? "" : html`<p class="field-error" id="e-${name}">${textOf(error)}</p>`}
      ${other === undefined || other === cell ? "" : html`<p class="sub">Now: <b>${other === "" ? "empty" : other}</b></p>`}
      ${hintOf(field)}
    </div>
  </div>`
}

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const lineBreak = new Html("\n")

const control = ({ name, field, cell, error, hasFocus }: Line): Html => {
  const { choices, type, maxLength, wire, reference } = field
  const common = html`id="f-${name}"
  name="${name}"${error === undefined ? "" : html` aria-invalid="true" aria-describedby="e-${name}"`}${hasFocus ? html` autofocus` : ""}`
  const options = choices ?? (type === "boolean" ? { true: "Yes", false: "No" } : undefined)
  if (options !== undefined && !type.endsWith("[]")) {
    const blank = field.nullable || (field.initial !== undefined && type === "text" && !Object.hasOwn(options, cell))
    return html`<select class="field-in" ${common}>
      ${blank || cell === "" ? html`<option value="">—</option>` : ""}
      ${Object.entries(options).map(([key, label]) => html`<option value="${key}" ${key === cell ? html` selected` : ""}>${label}</option>`)}
    </select>`
  }
  if (wire === "write")
    return html`<input class="field-in" type="password" autocomplete="new-password" ${common} value="" />`
  const isLong = type === "jsonb" || (type === "text" && maxLength === undefined && reference === undefined)
  if (isLong) return html`<textarea class="field-in" rows="4" ${common}>${lineBreak}${cell}</textarea>`
  return html`<input
    class="field-in"
    ${common}
    value="${cell}"
    autocomplete="off"
    ${maxLength === undefined ? "" : html` maxlength="${maxLength}"`}
  />`
}

const hintOf = (field: Field): Html => {
  const { reference } = field
  if (reference === undefined) return fieldHint(field)
  const target = objectType(reference.type)
  const [ids, of] = reference.many
    ? [`Ids or ${naturalKey(target)}s`, "separated by commas, of"]
    : [`Id or ${naturalKey(target)}`, "of"]
  return html`<p class="sub links">${ids} ${of} <a href="${pathOf(target)}">${pluralOf(target)}</a></p>`
}

const fieldHint = ({ type, wire }: Field): Html => {
  const hint =
    wire === "write"
      ? "Blank leaves it as it is."
      : type === "jsonb"
        ? "JSON."
        : type.endsWith("[]")
          ? "Separated by commas."
          : ""
  return hint === "" ? html`` : html`<p class="sub">${hint}</p>`
}

const textOf = (messages: Messages): string =>
  [
    ...new Set(
      (Array.isArray(messages) ? messages : Object.values(messages))
        .flat(2)
        .map((each) => (typeof each === "string" ? each : ""))
    )
  ]
    .filter((each) => each !== "")
    .join(" ")
