/** The table of a list. */
import type { Row, View } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { isOrdered } from "../../../inventory/derive/table/Order.ts"
import { representation } from "../../../inventory/derive/represent/Representation.ts"
import { type Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { changed } from "./Query.ts"
import { fieldTitle, pathOf, pluralOf } from "../Title.ts"
import { valueOf } from "../Value.ts"

interface Listed {
  readonly type: ObjectType
  readonly rows: ReadonlyArray<Row>
  readonly view: View
  readonly columns: ReadonlyArray<string>
  readonly query: URLSearchParams
}

/** Columns beyond these are hidden on small screens. */
const smallScreenColumns = 1

export const objectTable = ({ type, rows, view, columns, query }: Listed): Html => {
  return html`<div class="table-responsive" id="objects">
    <table class="table table-vcenter card-table dense">
      <caption class="visually-hidden">
        ${pluralOf(type)}
      </caption>
      <thead>
        <tr>
          ${heading(type, nameColumn(type), query, false)}${columns.map((name, at) => heading(type, name, query, at >= smallScreenColumns))}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const shown = representation(type, row, view) as Readonly<Record<string, unknown>>
          return html`<tr>
            <th scope="row"><a href="${pathOf(type, row.id)}">${String(shown["display"])}</a></th>
            ${columns.map((name, at) => html`<td${at >= smallScreenColumns ? html` class="lo"` : ""}>${valueOf(shown[name])}</td>`)}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
}

/** The field by which the first column, which shows each object's display, is sorted. */
const nameColumn = ({ fields }: ObjectType): string => (Object.hasOwn(fields, "name") ? "name" : "id")

/** A heading sorts by its column, and turns the order of the column that sorts already. */
const heading = (type: ObjectType, name: string, query: URLSearchParams, isHidden: boolean): Html => {
  const by = query.get("ordering") ?? type.ordering[0] ?? ""
  const sorted = by === name ? "ascending" : by === `-${name}` ? "descending" : undefined
  const classes = isHidden ? html` class="lo"` : ""
  const title = name === "id" ? "Object" : fieldTitle(name)
  if (!isOrdered(type, name)) return html`<th scope="col" ${classes}>${title}</th>`
  const link = changed(query, { ordering: sorted === "ascending" ? `-${name}` : name, offset: undefined })
  const arrow = sorted === undefined ? "" : icon(sorted === "ascending" ? "chevron-up" : "chevron-down", "sort")
  return html`<th scope="col" ${classes}${sorted === undefined ? "" : html` aria-sort="${sorted}"`}>
    <a href="${link}">${title} ${arrow}</a>
  </th>`
}
