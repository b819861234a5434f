/** The form of an object, from the declaration of its type alone: its fields in groups, errors beside them. */
import { type Errors, type Messages, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { imageFieldsOf } from "../../inventory/image/ImageField.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { inWords } from "../fault/InWords.ts"
import { formInPlace } from "../frame/InPlace.ts"
import type { ImageInputs } from "../image/ImageInputs.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import type { Cells } from "./Cells.ts"
import { besideForm } from "./Beside.ts"
import { type Conflict, conflictChoice } from "./Conflict.ts"
import { control, inputId } from "./Control.ts"
import { tokenInput } from "./Csrf.ts"
import { type Form, type FormField, keysOf, targetOf, targetsOf } from "./FormField.ts"
import type { Labels } from "./Labels.ts"
import { rangedOf } from "./Series.ts"

/** The state of a form. */
export interface FormState {
  readonly form: Form
  readonly cells: Cells
  readonly labels: Labels
  /** Shown below the input of a field. */
  readonly below: ReadonlyMap<string, Html>
  readonly errors: Errors
  readonly conflict?: Conflict | undefined
  readonly token: string
  /** The object that it changes: its id, its ETag and the cells of that time; absent for a new one. */
  readonly object?: { readonly id: number; readonly version: string | undefined; readonly was: Cells } | undefined
  /** The part with the images of the object. */
  readonly images: (errors: Pick<ImageInputs, "errorsOf" | "focus">) => Html | ""
  /** The name of the field that gets the focus, if it is not the first wrong one. */
  readonly focus?: string | undefined
  readonly cancel: string
  /** Whether it holds what was sent and not saved. */
  readonly isUnsaved: boolean
}

/** Errors by the input that they are about; under "" those of the object. */
const sorted = ({
  form,
  cells,
  errors
}: Pick<FormState, "form" | "cells" | "errors">): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  const tell = (name: string, message: string) => found.set(name, [...(found.get(name) ?? []), message])
  const names = new Set(inputsOf(form).map(({ name }) => name))
  for (const [name, messages] of Object.entries(errors)) {
    for (const message of new Set(textsIn(messages as Messages))) {
      // The write reports errors of custom fields in words alone.
      const custom = `cf_${/custom field '(\w+)'/.exec(message)?.[1] ?? ""}`
      const input = names.has(name) ? name : names.has(custom) ? custom : ""
      const words = inWords({ type: form.type, name: input || name, message, input: cells[input] })
      tell(input, input !== "" || isOfObject(name) ? words : `${fieldTitle(name)}: ${words}`)
    }
  }
  return found
}

/** The inputs of the form, those for images last. */
const inputsOf = ({ type, fields }: Form): ReadonlyArray<Pick<FormField, "name" | "title">> => [
  ...fields,
  ...imageFieldsOf(type).map(({ name }) => ({ name, title: fieldTitle(name) }))
]

/** Whether an error is about the object, and no field of it. */
export const isOfObject = (name: string): boolean => /^(__all__|non_field_errors)$/.test(name)

/** The form, with the faults of what was sent before. Without scripts it works alike. */
export const objectForm = (filled: FormState): Html => {
  const { form, token, object, cancel, focus, cells, isUnsaved, images } = filled
  const errors = sorted(filled)
  const first = focus ?? inputsOf(form).find(({ name }) => errors.has(name))?.name
  const groups = [...Map.groupBy(form.fields, ({ group }) => group)]
  const beside = besideForm(form.type.id, object?.id)
  return html`${errors.size === 0 ? "" : summary(form, errors)}
    <form
      class="object-form${beside === undefined ? "" : " with-beside"}"
      method="post"
      ${imageFieldsOf(form.type).length === 0 ? "" : html`enctype="multipart/form-data"`}
      data-form
      ${isUnsaved ? html`data-unsaved` : ""}
      ${formInPlace}
    >
      ${tokenInput(token)}
      <button class="visually-hidden" tabindex="-1" aria-hidden="true">Save</button>
      ${object === undefined ? "" : html`${object.version === undefined ? "" : html`<input type="hidden" name="_version" value="${object.version}" />`}<input type="hidden" name="_was" value="${JSON.stringify(carried(object.was, cells))}" />`}
      ${beside ?? ""}
      ${groups.map(
        ([title, fields], at) =>
          html`<section class="card form-group" aria-labelledby="g-${at}">
            <h2 id="g-${at}">${title}</h2>
            ${fields.map((field) => (object === undefined || Object.hasOwn(cells, field.name) ? row(filled, field, errors.get(field.name) ?? [], field.name === first) : leftOut(form.type, field, object.id, errors.get(field.name) ?? [], field.name === first)))}
          </section>`
      )}
      ${images({ errorsOf: (name) => errors.get(name) ?? [], focus: first })}
      <div class="form-end">
        <button class="btn btn-sm btn-primary">${icon("check")}${object === undefined ? "Add" : "Save"}</button>
        ${object === undefined ? html`<button class="btn btn-sm" name="_another" value="1">Save and add another</button>` : ""}
        <button class="btn btn-sm" name="_preview" value="1">Preview</button>
        <a class="btn btn-sm" href="${cancel}">Cancel</a>
      </div>
    </form>`
}

/** The cells of before as the form sends them back: those that are not blank, of the inputs that it has. */
const carried = (was: Cells, cells: Cells): Cells =>
  Object.fromEntries(Object.entries(was).filter(([name, cell]) => cell !== "" && Object.hasOwn(cells, name)))

const summary = (form: Form, errors: ReadonlyMap<string, ReadonlyArray<string>>): Html => {
  const wrong = inputsOf(form).filter(({ name }) => errors.has(name))
  return html`<div class="alert-line alert-bad" role="alert">
    <b>Nothing was saved.</b>
    ${(errors.get("") ?? []).map((message) => html`<div>${message}</div>`)}
    ${
      wrong.length === 0
        ? ""
        : html`<div class="links">
            Look at
            ${wrong.map((field, at) => html`${at === 0 ? "" : ", "}<a href="#${inputId(field)}">${field.title}</a>`)}.
          </div>`
    }
  </div>`
}

const label = (field: FormField): Html => {
  const required = field.isRequired ? html`<span class="required" title="required">*</span>` : ""
  return field.control === "several"
    ? html`<span class="label">${field.title}${required}</span>`
    : html`<label for="${inputId(field)}">${field.title}${required}</label>`
}

const row = (
  { form, cells, labels, below, conflict, object }: FormState,
  field: FormField,
  messages: ReadonlyArray<string>,
  hasFocus: boolean
): Html => {
  const { name } = field
  const hint = object === undefined ? hintOfNew(form, field, cells) : hintOf(form, field, cells)
  const describedBy = [...(messages.length > 0 ? [`e-${name}`] : []), ...(hint === "" ? [] : [`h-${name}`])]
  return html`<div class="form-row">
    ${label(field)}
    <div>
      ${control({ field, cells, labels, describedBy, hasFocus, isWrong: messages.length > 0 })}${below.get(name) ?? ""}
      ${fieldError(field, messages)} ${conflict === undefined ? "" : conflictChoice(conflict, field, cells, labels)}
      ${hint === "" ? "" : html`<p class="sub" id="h-${name}">${hint}</p>`}
    </div>
  </div>`
}

const fieldError = ({ name }: FormField, messages: ReadonlyArray<string>): Html | string =>
  messages.length === 0 ? "" : html`<p class="field-error" id="e-${name}">${messages.join(" ")}</p>`

/** A value that is too long for a form stays as it is. */
const leftOut = (
  type: ObjectType,
  field: FormField,
  id: number,
  messages: ReadonlyArray<string>,
  hasFocus: boolean
): Html =>
  html`<div class="form-row">
    <span class="label">${field.title}</span>
    <div ${messages.length === 0 ? "" : html`id="${inputId(field)}" tabindex="-1"`} ${hasFocus ? html`autofocus` : ""}>
      ${fieldError(field, messages)}
      <p class="sub links">
        The text is too long for a form, and stays as it is. Change it with the API: <code>PATCH</code>
        <a href="${type.path}${id}/">${type.path}${id}/</a>
      </p>
    </div>
  </div>`

const hintOfNew = (form: Form, field: FormField, cells: Cells): string | Html => {
  if (field.control === "secret") return field.help
  if (field.slugFrom !== undefined) return html`${field.help} Blank makes it of the ${field.slugFrom}.`
  if (field.custom !== undefined || !rangedOf(form.type).texts.includes(field.name)) return hintOf(form, field, cells)
  const one =
    field.name === "name"
      ? html`A range adds several objects: <code>Eth[1-48]</code>, <code>[ge,xe]-0/0/[0-3]</code>.`
      : "As many as names, or one for all."
  return field.help === "" ? one : html`${field.help} ${one}`
}

const hintOf = (form: Form, field: FormField, cells: Cells): string | Html => {
  const usual = usualHint(form, field, cells)
  if (field.help === "") return usual
  return usual === "" ? field.help : html`${field.help} ${usual}`
}

const commas = "Separated by commas."

const usualHint = ({ type }: Form, field: FormField, cells: Cells): string | Html => {
  switch (field.control) {
    case "secret":
      return "Blank leaves it as it is."
    case "list":
      return field.options === undefined ? commas : html`<span class="no-script">${commas}</span>`
    case "reference":
    case "references": {
      const target = targetOf(field, cells)
      if (target === undefined) return field.targetIn === undefined ? "" : "Choose the type first."
      const keys = keysOf(target, field.control === "references")
      return html`<span class="no-script"
        >${keys}${field.control === "references" ? ", separated by commas," : ""} of
        <a href="${pathOf(target)}">${targetsOf(target)}</a></span
      >`
    }
    case "lines":
      return field.custom?.type === "json" || type.fields[field.name]?.type === "jsonb" ? "JSON." : ""
    default:
      return ""
  }
}
