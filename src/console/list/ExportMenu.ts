/** The menu that exports a list: the objects that match its filters, or all of the type. */
import { formats } from "../../http/files/ImportFormat.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { filtersOf, searchOf } from "./Query.ts"

/** `templates`: the names of the export templates of the type. */
export const exportMenu = (type: ObjectType, query: URLSearchParams, templates: ReadonlyArray<string> = []): Html => {
  const filters = [...filtersOf(query)]
  const link = (title: string, asked: ReadonlyArray<readonly [string, string]>) =>
    html`<li><a href="${type.path}export/?${searchOf(asked).toString()}" download>${title}</a></li>`
  const made = (name: string, asked: ReadonlyArray<readonly [string, string]>) =>
    html`<li><a href="${type.path}?${searchOf([["export", name], ...asked]).toString()}">${name}</a></li>`
  const group = (title: string, asked: ReadonlyArray<readonly [string, string]>) =>
    html`<li class="menu-title">${title}</li>
      ${formats.map((format) => link(format.toUpperCase(), [["format", format], ...asked]))}
      ${link("CSV with ids, for changes", [["format", "csv"], ["references", "id"], ...asked])}
      ${templates.map((name) => made(name, asked))}`
  return html`<details class="menu">
    <summary class="btn btn-sm">${icon("download")}Export${icon("chevron-down", "chev")}</summary>
    <ul class="menu-list">
      ${filters.length > 0 ? group("Objects that match the filters", filters) : ""}${group("All objects", [])}
    </ul>
  </details>`
}
