/** The menu that exports a list: the objects that match its filters, or all of the type. */
import { formats } from "../../../http/files/ImportFormat.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { type Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { filtersOf, searchOf } from "./Query.ts"

export const exportMenu = (type: ObjectType, query: URLSearchParams): Html => {
  const filters = [...filtersOf(query)]
  const link = (format: string, asked: ReadonlyArray<readonly [string, string]>) =>
    html`<li>
      <a href="${type.path}export/?${searchOf([["format", format], ...asked]).toString()}" download
        >${format.toUpperCase()}</a
      >
    </li>`
  const group = (title: string, asked: ReadonlyArray<readonly [string, string]>) =>
    html`<li class="menu-title">${title}</li>
      ${formats.map((format) => link(format, asked))}`
  return html`<details class="menu">
    <summary class="btn btn-sm">${icon("download")}Export${icon("chevron-down", "chev")}</summary>
    <ul class="menu-list">
      ${filters.length > 0 ? group("Objects that match the filters", filters) : ""}${group("All objects", [])}
    </ul>
  </details>`
}
