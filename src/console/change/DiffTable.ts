/** Differences that a change made to its object, field by field. */
import { Effect } from "effect"
import { inSlices } from "../../eventloop/Slices.ts"
import { isDictionary } from "../../inventory/Field.ts"
import type { ChangedField } from "../../inventory/read/Changes.ts"
import { type Difference, type Piece, comparing, differencesMax, pathText } from "../value/Diff.ts"
import { type Html, html } from "../Html.ts"
import { timeOf } from "../value/Time.ts"
import { fieldTitle } from "../value/Title.ts"
import { beginning, isTime, none } from "../value/Value.ts"
import type { NameLookup } from "./Named.ts"

/** Most characters of a value that a cell shows. */
const cellLengthMax = 2000

/** Most characters of an unchanged piece of a text that are shown on each side. */
const contextLength = 120

interface Row {
  readonly field: string
  readonly difference: Difference
  readonly cut: number | undefined
}

interface Look {
  readonly named: NameLookup
  /** Titles of the two sides. */
  readonly titles?: Readonly<Record<"before" | "after", string>>
  /** If given, each field has a check box; these are checked. */
  readonly chosen?: ReadonlySet<string>
}

/** The table of the fields that differ. A field of one side alone is left out if it is empty. */
export const diffTable = Effect.fnUntraced(function* (fields: ReadonlyArray<ChangedField>, look: Look) {
  const rows: Array<Row> = []
  let isCut = false
  const isOneSided = isBlankSide(fields, "before") || isBlankSide(fields, "after")
  for (const field of fields) {
    if (isOneSided && [field.before, field.after].every(({ value }) => isEmpty(value))) continue
    const compared = yield* inSlices(comparing(field.before.value, field.after.value))
    isCut ||= compared.isCut
    const cut = field.before.cutFrom ?? field.after.cutFrom
    const found =
      compared.found.length === 0 && cut !== undefined && field.isChanged
        ? [{ path: [], before: field.before.value, after: field.after.value }]
        : compared.found
    for (const each of found) {
      rows.push({ field: field.name, difference: { ...each, path: [field.name, ...each.path] }, cut })
    }
  }
  const sides = (["before", "after"] as const).filter((side) => !isBlankSide(fields, side))
  const shown = rows.slice(0, differencesMax)
  return {
    /** How many fields differ. */
    count: new Set(rows.map(({ field }) => field)).size,
    table: table(shown, sides, look, isCut || shown.length < rows.length)
  }
})

/** Whether the object did not exist on this side. */
const isBlankSide = (fields: ReadonlyArray<ChangedField>, side: "before" | "after"): boolean =>
  fields.every((field) => field[side].value === undefined)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isDictionary(value) && Object.values(value).every(isEmpty))

type Sides = ReadonlyArray<"before" | "after">

const usualTitles = { before: "Before", after: "After" } as const

const table = (rows: ReadonlyArray<Row>, sides: Sides, look: Look, isCut: boolean): Html =>
  rows.length === 0
    ? html`<div class="empty"><b>No field differs.</b></div>`
    : html`<table class="table dense diff">
          <caption class="visually-hidden">
            Fields that differ
          </caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              ${sides.map((side) => html`<th scope="col">${sides.length === 1 ? "Value" : (look.titles ?? usualTitles)[side]}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map((row, at) => tableRow(row, sides, look, rows[at - 1]?.field !== row.field))}
          </tbody>
        </table>
        ${isCut ? html`<p class="note sub">There are more differences than are shown here.</p>` : ""}`

const tableRow = ({ field, difference, cut }: Row, sides: Sides, { named, chosen }: Look, isFirst: boolean): Html => {
  const { path, words, items } = difference
  const note =
    cut === undefined ? "" : html`<p class="sub">The beginning of ${cut.toLocaleString("en")} characters.</p>`
  return html`<tr>
    <th scope="row">
      ${chosen === undefined || !isFirst ? titleOf(path) : choice(field, titleOf(path), chosen.has(field))}
    </th>
    ${
      words !== undefined
        ? html`<td colspan="2">
            <div class="words">${folded(words).map(word)}</div>
            ${note}
          </td>`
        : items !== undefined
          ? html`<td colspan="2">${items.map((each) => item(each, named, field))}</td>`
          : sides.map((side) => html`<td>${cell(difference[side], side, field, named)}${note}</td>`)
    }
  </tr>`
}

const choice = (field: string, title: Html, isChosen: boolean): Html =>
  html`<label class="pick"
    ><input
      class="form-check-input"
      type="checkbox"
      name="field"
      value="${field}"
      ${isChosen ? html` checked` : ""}
    />${title}</label
  >`

/** The title of a field; of a place inside one, its path. */
const titleOf = (path: Difference["path"]): Html =>
  path.length === 1
    ? html`${fieldTitle(String(path[0]))}`
    : html`<span class="mono">${beginning(pathText(path), 200)}</span>`

const cell = (value: unknown, side: "before" | "after", field: string, named: NameLookup): Html => {
  if (isEmpty(value)) return none
  const shown = Array.isArray(value)
    ? value.slice(0, 100).map((each, at) => html`${at === 0 ? "" : ", "}${named(field, each) ?? textOf(each)}`)
    : (named(field, value) ?? textOf(value))
  return side === "before" ? html`<del class="was">${shown}</del>` : html`<ins class="is">${shown}</ins>`
}

const textOf = (value: unknown): Html | string => {
  if (typeof value === "string") return isTime(value) ? timeOf(value, "second") : beginning(value, cellLengthMax)
  return beginning(typeof value === "boolean" ? (value ? "Yes" : "No") : JSON.stringify(value), cellLengthMax)
}

const word = ({ kind, text }: Piece): Html =>
  kind === "removed"
    ? html`<del class="was">${text}</del>`
    : kind === "added"
      ? html`<ins class="is">${text}</ins>`
      : html`${text}`

/** Long pieces that did not change, without their middle. */
const folded = (words: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  words.map((each, at) => {
    const { kind, text } = each
    if (kind !== "same") return { kind, text: beginning(text, cellLengthMax) }
    const start = at === 0 ? "" : text.slice(0, contextLength)
    const end = at === words.length - 1 ? "" : text.slice(-contextLength)
    const isShort = text.length <= start.length + end.length + contextLength
    return isShort ? each : { kind, text: `${start} … ${end}`.toWellFormed() }
  })

const item = (piece: Piece, named: NameLookup, field: string): Html => {
  const number = /^\d{1,15}$/.test(piece.text) ? Number(piece.text) : piece.text
  const shown = named(field, number) ?? beginning(piece.text, cellLengthMax)
  if (piece.kind === "removed") return html`<del class="was">${shown}</del> `
  return piece.kind === "added" ? html`<ins class="is">${shown}</ins> ` : html`<span class="kept">${shown}</span> `
}
