/**
 * A conflict: somebody else has changed the object since the form was opened. For each field that differs, the sender
 * chooses what is saved: the own value, the current one, or the one before both.
 */
import { type Html, html } from "../Html.ts"
import type { Cells } from "./Cells.ts"
import { type Form, type FormField, targetOf } from "./FormField.ts"
import { type Labels, itemsOf } from "./Labels.ts"

export interface Conflict {
  /** The cells when the form was opened. */
  readonly was: Cells
  /** The cells as they are now. */
  readonly now: Cells
}

const choices = ["mine", "now", "was"] as const
type Choice = (typeof choices)[number]

const choiceName = ({ name }: FormField): string => `_take_${name}`

/** The cells of a form after the choices of a conflict were made. Cells that stay as they are now are left out. */
export const withChoices = (form: Form, cells: Cells, sent: URLSearchParams, { was, now }: Conflict): Cells => {
  const kept = { ...cells }
  for (const field of form.fields) {
    const choice = sent.get(choiceName(field))
    if (choice === "now") kept[field.name] = now[field.name] ?? ""
    if (choice === "was" && Object.hasOwn(was, field.name)) kept[field.name] = was[field.name]!
  }
  return kept
}

/** The cells of the form as it was opened; the current ones where they are missing. */
export const wasIn = (form: Form, sent: URLSearchParams, now: Cells): Cells => {
  const parsed = parsedWas(sent.get("_was"))
  if (parsed === undefined) return now
  // A blank cell and one that was too long for the form are not sent.
  return Object.fromEntries(
    form.fields.map(({ name }) => [name, parsed.get(name) ?? (sent.has(name) ? "" : (now[name] ?? ""))])
  )
}

const parsedWas = (text: string | null): ReadonlyMap<string, string> | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? "")
    if (typeof value !== "object" || value === null) return undefined
    return new Map(Object.entries(value).map(([name, cell]) => [name, String(cell)]))
  } catch {
    return undefined
  }
}

/** Whether the field has to be chosen: somebody else changed it, to another value than the sender's. */
const differs = ({ was, now }: Conflict, name: string, cells: Cells): boolean =>
  (now[name] ?? "") !== (was[name] ?? "") && (now[name] ?? "") !== (cells[name] ?? "")

/** The fields that have to be chosen. */
export const conflicting = (form: Form, conflict: Conflict, cells: Cells): ReadonlyArray<FormField> =>
  form.fields.filter(({ name, control }) => control !== "secret" && differs(conflict, name, cells))

/** The choice of one field, under its input; nothing if it need not be chosen. */
export const conflictChoice = (conflict: Conflict, field: FormField, cells: Cells, labels: Labels): Html => {
  const { name } = field
  if (field.control === "secret" || !differs(conflict, name, cells)) return html``
  const isMine = (cells[name] ?? "") !== (conflict.was[name] ?? "")
  const chosen: Choice = isMine ? "mine" : "now"
  const values: Readonly<Record<Choice, Html>> = {
    mine: html`Yours: <b>${told(field, cells, labels)}</b>${isMine ? "" : " (you did not change it)"}`,
    now: html`Now: <b>${told(field, conflict.now, labels)}</b>`,
    was: html`Before: <b>${told(field, conflict.was, labels)}</b>`
  }
  const offered = isMine ? choices : choices.filter((choice) => choice !== "was")
  return html`<fieldset class="conflict">
    <legend>Somebody else changed ${field.title}. Which value is saved?</legend>
    ${offered.map((choice) => html`<label><input type="radio" name="${choiceName(field)}" value="${choice}" ${choice === chosen ? html` checked` : ""} /><span>${values[choice]}</span></label>`)}
  </fieldset>`
}

/** Most characters of a value that are shown. */
const shownChars = 300

/** A cell as people read it. */
export const told = (field: FormField, cells: Cells, labels: Labels): string => {
  const cell = cells[field.name] ?? ""
  if (cell === "") return "empty"
  const { options, control } = field
  if (control === "choice") return options !== undefined && Object.hasOwn(options, cell) ? options[cell]! : cell
  if (control !== "reference" && control !== "references") {
    return cell.length > shownChars ? `${cell.slice(0, shownChars)}…` : cell
  }
  const target = targetOf(field, cells)
  return itemsOf(cell)
    .slice(0, 20)
    .map((item) => (target === undefined ? undefined : labels(target, item)) ?? item)
    .join(", ")
}
