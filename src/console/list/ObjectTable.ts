/** The table of a list. */
import { Effect } from "effect"
import { mapInSlices } from "../../eventloop/Slices.ts"
import type { SourceNames } from "../../history/source/SourceNames.ts"
import type { Row, View } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isOrdered } from "../../inventory/derive/table/Order.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { linksLeave } from "../frame/InPlace.ts"
import { fieldCell } from "../value/FieldValue.ts"
import { fieldTitle, pathOf, pluralOf } from "../value/Title.ts"
import { shortened } from "./Cell.ts"
import type { Dressing, Column } from "./ListColumn.ts"
import { changed } from "./Query.ts"

interface TableParts {
  readonly type: ObjectType
  readonly rows: ReadonlyArray<Row>
  readonly view: View
  readonly columns: ReadonlyArray<string>
  readonly query: URLSearchParams
  /** Whether each row has a box to select it. */
  readonly isSelectable: boolean
  readonly dressing?: Dressing | undefined
  /** Names the sources of the object types in rows. */
  readonly sourceOf: SourceNames
}

/** Columns beyond these are hidden on small screens, but for the ends of a cable. */
const smallScreenColumns = 1

const isLess = (type: ObjectType, name: string, at: number): boolean =>
  at >= smallScreenColumns && type.fields[name]?.reference?.ends === undefined

/** Renders the rows in slices: there may be a thousand with long values. */
export const objectTable = ({ type, rows, view, columns, query, isSelectable, dressing, sourceOf }: TableParts) =>
  Effect.map(
    mapInSlices(rows, (row): Html => {
      const shown = representation(type, row, view) as Readonly<Record<string, unknown>>
      const display = shortened(String(shown["display"]))
      return html`<tr>
        ${isSelectable ? selectCell(row.id, display) : ""}
        ${nameCell(html`<a href="${pathOf(type, row.id)}">${dressing?.name?.of(row) ?? display}</a>`, row, dressing)}
        ${dressing?.columns.map(({ cell, ...column }) => html`<td${classesOf(column)}>${cell(row)}</td>`) ?? ""}
        ${columns.map((name, at) => html`<td${isLess(type, name, at) ? html` class="lo"` : ""}>${fieldCell(type, name, shown, sourceOf)}</td>`)}
      </tr>`
    }),
    (body) =>
      html`<div class="table-responsive" id="objects" data-live-rows>
        <table class="table table-vcenter card-table dense">
          <caption class="visually-hidden">
            ${pluralOf(type)}
          </caption>
          <thead>
            <tr>
              ${isSelectable ? selectAll : ""}${heading(type, dressing?.name?.field ?? nameColumn(type), query, false, dressing?.name?.title)}${dressing?.columns.map((column) => dressedHeading(type, column, query)) ?? ""}${columns.map((name, at) => heading(type, name, query, isLess(type, name, at)))}
            </tr>
          </thead>
          <tbody ${linksLeave}>
            ${body}
          </tbody>
        </table>
      </div>`
  )

const nameCell = (link: Html, row: Row, dressing: Dressing | undefined): Html => {
  const [before, below] = dressing === undefined ? ["", ""] : [dressing.before(row), dressing.below(row)]
  return html`<th scope="row">${before}${link}${below}</th>`
}

const classesOf = ({ isLess, isNumber }: Pick<Column, "isLess" | "isNumber">): Html => {
  const names = [...(isLess === true ? ["lo"] : []), ...(isNumber === true ? ["num"] : [])]
  return names.length === 0 ? html`` : html` class="${names.join(" ")}"`
}

const dressedHeading = (type: ObjectType, column: Column, query: URLSearchParams): Html =>
  column.field === undefined
    ? html`<th scope="col" ${classesOf(column)}>${column.title}</th>`
    : heading(type, column.field, query, column.isLess === true, column.title)

export const selectCell = (id: number, display: string): Html =>
  html`<td class="select">
    <label
      ><input class="form-check-input" type="checkbox" name="id" value="${id}" aria-label="Select ${display}"
    /></label>
  </td>`

/** The script shows the box, which does nothing without it. */
export const selectAll = html`<th scope="col" class="select">
  <span class="visually-hidden">Selection</span
  ><label hidden
    ><input class="form-check-input" type="checkbox" data-select-page aria-label="Select all on this page"
  /></label>
</th>`

/** The field by which the first column, which shows each object's display, is sorted. */
const nameColumn = ({ fields }: ObjectType): string => (Object.hasOwn(fields, "name") ? "name" : "id")

/** A heading sorts by its column, and turns the order of the column that sorts already. */
export const heading = (
  type: ObjectType,
  name: string,
  query: URLSearchParams,
  isHidden: boolean,
  title = name === "id" ? "Object" : fieldTitle(name)
): Html => {
  const by = query.get("ordering") ?? type.ordering[0] ?? ""
  const sorted = by === name ? "ascending" : by === `-${name}` ? "descending" : undefined
  const classes = isHidden ? html` class="lo"` : ""
  if (!isOrdered(type, name)) return html`<th scope="col" ${classes}>${title}</th>`
  const link = changed(query, { ordering: sorted === "ascending" ? `-${name}` : name, offset: undefined })
  const arrow = sorted === undefined ? "" : icon(sorted === "ascending" ? "chevron-up" : "chevron-down", "sort")
  return html`<th scope="col" ${classes}${sorted === undefined ? "" : html` aria-sort="${sorted}"`}>
    <a href="${link}">${title} ${arrow}</a>
  </th>`
}
