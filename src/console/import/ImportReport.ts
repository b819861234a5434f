/** Findings of a check or an import, by row and field. */
import type { Report } from "../../http/files/Import.ts"
import { type Html, html } from "../Html.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { isOfObject } from "../form/ObjectForm.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { changeType } from "../../inventory/read/Changes.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"

/** Most rows with errors that the page shows. */
const rowsMax = 100

type Rows = Report["errors"]

export const rowErrors = (type: ObjectType, errors: Rows): Html =>
  html`<div class="alert-line" role="alert" id="problem">
      <b>Nothing was imported.</b> ${errors.length === 1 ? "One row has" : `${number(errors.length)} rows have`} errors.
    </div>
    <div class="card">
      <div class="table-responsive" tabindex="0" role="region" aria-label="Errors">
        <table class="table table-vcenter card-table dense import-errors">
          <caption class="visually-hidden">
            Errors by row and field
          </caption>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Field</th>
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            ${errors.slice(0, rowsMax).map(({ row, errors }) => rowsOf(type, row, Object.entries(errors)))}
          </tbody>
        </table>
      </div>
      ${errors.length > rowsMax ? html`<div class="tf"><span class="sub">and ${number(errors.length - rowsMax)} more rows</span></div>` : ""}
    </div>`

const rowsOf = (
  type: ObjectType,
  row: number,
  errors: ReadonlyArray<readonly [field: string, messages: Rows[number]["errors"][string]]>
): Html =>
  html`${errors.map(
    ([field, messages], at) =>
      html`<tr>
        ${at === 0 ? html`<th scope="row" rowspan="${errors.length}">${number(row)}</th>` : ""}
        <td>${isOfObject(field) ? html`<span class="none">—</span>` : fieldTitle(field)}</td>
        <td class="whole">${shortened(inWordsAll({ type, name: field, messages }), 500)}</td>
      </tr>`
  )}`

/** `3 rows: 2 would be added, 1 changed.` */
export const checked = ({ format, rows, created, updated, ignored = [] }: Report, isKept: boolean): Html =>
  html`<div class="ok-line" role="status">
    <b>The check found no error.</b> ${number(rows)} ${rows === 1 ? "row" : "rows"} of ${format.toUpperCase()}:
    ${number(created)} would be added, ${number(updated)} changed. Nothing is written yet.
    ${ignored.length === 0 ? "" : html`Not written: ${ignored.slice(0, rowsMax).join(", ")}.`}
    ${isKept ? "" : "The file is too large to be kept on this page: choose it again to import it."}
  </div>`

export interface Done {
  readonly created: number
  readonly updated: number
  /** Ids of the objects that were written first. */
  readonly ids: ReadonlyArray<string>
  /** The id of the request, by which the change log finds the rest. */
  readonly request: string | undefined
}

export const imported = (type: ObjectType, { created, updated, ids, request }: Done): Html => {
  const query = ids.map((id) => `id=${id}`).join("&")
  const isAll = ids.length === created + updated
  return html`<div class="ok-line links" role="status">
    <b>The import is done.</b> ${number(created)} ${created === 1 ? "object was" : "objects were"} added,
    ${number(updated)} changed.
    ${ids.length === 0 ? "" : html`<a href="${pathOf(type)}?${query}">${isAll ? "Show them" : `Show the first ${ids.length}`}</a>`}
    ${request === undefined ? "" : html`<a href="${pathOf(changeType)}?request_id=${request}">Show the changes</a>`}
  </div>`
}
