/** The input of a field. Without scripts each works as it is; `picker.js` makes pickers of references and lists. */
import { Html, html } from "../Html.ts"
import type { Cells } from "./Cells.ts"
import { type FormField, isLong, targetOf, targetsOf } from "./FormField.ts"
import { type Labels, itemsOf, labelledIn } from "./Labels.ts"
import { icon } from "../frame/Icon.ts"
import { chosenChips, pickerInput } from "../pick/PickerInput.ts"
import { typeChoicePath } from "../source/TypeChoice.ts"
import { swatch } from "../value/Swatch.ts"

interface ControlState {
  readonly field: FormField
  readonly cells: Cells
  readonly labels: Labels
  /** Ids of the texts that describe it. */
  readonly describedBy: ReadonlyArray<string>
  readonly isWrong: boolean
  readonly hasFocus: boolean
}

export const inputId = ({ name }: Pick<FormField, "name">): string => `f-${name}`

export const control = (shown: ControlState): Html => {
  const { field, cells } = shown
  const cell = cells[field.name] ?? ""
  switch (field.control) {
    case "choice":
      return select(shown, cell)
    case "several":
      return checks(shown, cell)
    case "reference":
    case "references":
      return picker(shown, cell)
    case "list":
      return list(shown, cell)
    case "lines":
      return lines(shown, cell)
    case "secret":
      return isLong(field)
        ? lines(shown, cell)
        : html`<input class="field-in" ${hidingInput(field)} ${common(shown)} value="${cell}" />`
    case "date":
    case "moment":
      return isDay(cell)
        ? html`<input class="field-in" type="date" ${common(shown)} value="${cell}" />`
        : line(shown, cell)
    case "color":
      return html`<span class="color-pick">${swatch(cell)}${line(shown, cell, html`data-color`)}</span>`
    default:
      // A line would lose what a text of several lines holds.
      return /[\r\n]/.test(cell) ? lines(shown, cell) : line(shown, cell)
  }
}

/**
 * Markup that hides the text of an input. Sealed secrets are no passwords: browsers would offer to remember them, and
 * complain of forms with three.
 */
export const hidingInput = ({ isSealed }: Pick<FormField, "isSealed">): Html =>
  isSealed === true
    ? html`type="text" autocomplete="off" spellcheck="false" data-masked`
    : html`type="password" autocomplete="new-password"`

const labelIn = (labels: Readonly<Record<string, string>> = {}, key: string, otherwise = key): string =>
  Object.hasOwn(labels, key) ? labels[key]! : otherwise

/** Whether an input for days can show it. */
export const isDay = (cell: string): boolean => cell === "" || /^\d{4}-\d\d-\d\d$/.test(cell)

const common = ({ field, describedBy, isWrong, hasFocus }: ControlState): Html =>
  html`id="${inputId(field)}"
  name="${field.name}"${isWrong ? html` aria-invalid="true"` : ""}${describedBy.length === 0 ? "" : html` aria-describedby="${describedBy.join(" ")}"`}${hasFocus ? html` autofocus` : ""}`

const lines = (shown: ControlState, cell: string): Html => {
  const attributes = html`class="field-in" rows="${rowsOf(cell)}" spellcheck="false" ${common(shown)}`
  return html`<textarea ${attributes}>${contentOf(cell)}</textarea>`
}

/** Browsers drop a line break right behind the tag of a text area, so one is put there for them. */
const contentOf = (cell: string): Html => new Html(`\n${html`${cell}`.text}`)

const rowsOf = (cell: string): number => Math.min(Math.max(cell.split("\n").length, 3), 14)

const line = (shown: ControlState, cell: string, more: Html | "" = ""): Html => {
  const { maxLength, placeholder, slugFrom } = shown.field
  return html`<input
    class="field-in"
    ${common(shown)}
    value="${cell}"
    autocomplete="off"
    ${more}
    ${maxLength === undefined ? "" : html` maxlength="${maxLength}"`}
    ${placeholder === "" ? "" : html` placeholder="${placeholder}"`}
    ${slugFrom === undefined ? "" : html` data-slug-from="${slugFrom}"`}
  />`
}

const select = (shown: ControlState, cell: string): Html => {
  const options = shown.field.options ?? {}
  const isKnown = Object.hasOwn(options, cell)
  return html`<select class="field-in" ${common(shown)}>
    ${shown.field.isBlankable || cell === "" ? html`<option value="">—</option>` : ""}
    ${isKnown || cell === "" ? "" : html`<option selected>${cell}</option>`}
    ${Object.entries(options).map(([key, label]) => html`<option value="${key}" ${key === cell ? html` selected` : ""}>${label}</option>`)}
  </select>`
}

/** Boxes to check. The blank value says that the form has them, though none may be checked. */
const checks = ({ field, isWrong, describedBy, hasFocus }: ControlState, cell: string): Html => {
  const chosen = choicesIn(cell)
  const all = new Set([...Object.keys(field.options ?? {}), ...[...chosen].slice(0, itemsMax)])
  const described = describedBy.length === 0 ? "" : html` aria-describedby="${describedBy.join(" ")}"`
  return html`<div
    class="checks"
    role="group"
    id="${inputId(field)}"
    aria-label="${field.title}"
    ${isWrong ? html` data-wrong` : ""}${described}
  >
    <input type="hidden" name="${field.name}" value="" />
    ${[...all].map(
      (choice, at) =>
        html`<label
          ><input
            type="checkbox"
            name="${field.name}"
            value="${choice}"
            ${chosen.has(choice) ? html` checked` : ""}${at === 0 && hasFocus ? html` autofocus` : ""}
          />${labelIn(field.options, choice)}</label
        >`
    )}
  </div>`
}

/** Most items of a cell that are shown one by one. */
const itemsMax = 200

/** Choices of a custom field are a list in JSON; a declared list has commas. */
const choicesIn = (cell: string): ReadonlySet<string> => {
  if (!cell.startsWith("[")) return new Set(itemsOf(cell))
  try {
    const parsed: unknown = JSON.parse(cell)
    return new Set(Array.isArray(parsed) ? parsed.map(String) : [])
  } catch {
    return new Set()
  }
}

/** A list of texts. Where the possible ones are known, scripts offer them. */
const list = (shown: ControlState, cell: string): Html => {
  const { field } = shown
  const { options, placeholder, sourceIn } = field
  if (options === undefined) return /[\r\n]/.test(cell) ? lines(shown, cell) : line(shown, cell)
  const labels = Object.fromEntries(
    itemsOf(cell)
      .slice(0, itemsMax)
      .map((item) => [item, labelIn(options, item)])
  )
  return html`<div
    class="picker"
    data-picker
    data-many
    data-labels="${JSON.stringify(labels)}"
    ${sourceIn === undefined ? html`data-options="${JSON.stringify(options)}"` : html`data-path="${typeChoicePath}" data-narrowed-by="${sourceIn} ${field.name}"`}
  >
    ${chosenChips(Object.values(labels))}
    <input class="field-in" ${common(shown)} value="${cell}" autocomplete="off" placeholder="${placeholder}" />
  </div>`
}

/** A reference: its id or key is sent; beside it is the display of the object. The button leads to a search. */
const picker = (shown: ControlState, cell: string): Html => {
  const { field, cells, labels } = shown
  const target = targetOf(field, cells)
  const isMany = field.control === "references"
  const items = isMany ? itemsOf(cell).slice(0, itemsMax) : [cell.trim()].filter((item) => item !== "")
  const named = target === undefined ? {} : labelledIn(target, items, labels)
  return pickerInput({
    adds: true,
    ...{ target, labels: named, isMany, fields: Object.keys(cells), inputOf: (name) => name },
    typeFrom:
      field.targetIn === undefined ? undefined : { field: field.targetIn, types: Object.keys(field.options ?? {}) },
    before: isMany ? chosenChips(items.map((item) => labelIn(named, item))) : "",
    input: html`<input class="field-in" ${common(shown)} value="${cell}" autocomplete="off" />`,
    behind: html`${isMany ? "" : html`<span class="picked">${labelIn(named, cell.trim(), "")}</span>`}
      <button class="btn btn-sm" name="_pick" value="${field.name}" formnovalidate>
        ${icon("search")}<span class="no-script">Search</span
        ><span class="visually-hidden"> ${targetsOf(target)} for ${field.title}</span>
      </button>`
  })
}
