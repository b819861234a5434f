/** The preview of a bulk edit: which fields of which objects would change, and how. */
import { Effect } from "effect"
import type { Request } from "../../http/wire/Request.ts"
import type { Row } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { viewFor } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { cellValue, shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { counted, listOf } from "./BulkPage.ts"
import { editInputs } from "./Edit.ts"
import { type Selection, namedMax, selectionInputs } from "./Selection.ts"

export interface RowChange {
  readonly before: Row
  readonly after: Row
  readonly fields: ReadonlyArray<string>
}

interface Preview {
  readonly type: ObjectType
  readonly request: Request
  readonly selected: Selection
  readonly form: URLSearchParams
  readonly changed: ReadonlyArray<RowChange>
  readonly mark: string
}

export const editPreview = Effect.fnUntraced(function* (preview: Preview) {
  const { type, request, selected, form, changed, mark } = preview
  const shown = changed.slice(0, namedMax)
  const views = yield* Effect.forEach(["before", "after"] as const, (state) =>
    viewFor(
      type,
      shown.map((each) => each[state]),
      request.base
    )
  )
  const rest = selected.ids.length - changed.length
  return html`<form class="card object-form" method="post">
      ${selectionInputs(request, selected)}
      ${editInputs(form).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="previewed" value="${mark}" />
      <p>
        ${counted(type, changed.length)} would
        change${rest === 0 ? "" : html`, and ${number(rest)} selected ${rest === 1 ? "has" : "have"} these values already`}.
        Nothing is written yet.
      </p>
      <div class="form-end">
        <button class="btn btn-sm btn-primary" name="step" value="apply">
          ${icon("check")}Change ${counted(type, changed.length)}
        </button>
        <button class="btn btn-sm" name="step" value="">Back to the form</button>
        <a class="btn btn-sm" href="${listOf(type, request)}">Cancel</a>
      </div>
    </form>
    <div class="card">
      <div class="table-responsive" tabindex="0" role="region" aria-label="Changes">
        <table class="table table-vcenter card-table dense changes">
          <caption class="visually-hidden">
            Changes by object and field
          </caption>
          <thead>
            <tr>
              <th scope="col">Object</th>
              <th scope="col">Field</th>
              <th scope="col">Now</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            ${shown.map((each) => rowsOf(type, each, representation(type, each.before, views[0]!), representation(type, each.after, views[1]!)))}
          </tbody>
        </table>
      </div>
      ${changed.length > shown.length ? html`<div class="tf"><span class="sub">and ${number(changed.length - shown.length)} more</span></div>` : ""}
    </div>`
})

type Json = Readonly<Record<string, unknown>>

const rowsOf = (type: ObjectType, { before, fields }: RowChange, now: Json, then: Json): Html =>
  html`${fields.map(
    (name, at) =>
      html`<tr>
        ${at === 0 ? html`<th scope="row" rowspan="${fields.length}"><a href="${pathOf(type, before.id)}">${shortened(String(now["display"]))}</a></th>` : ""}
        <td>${fieldTitle(name)}</td>
        <td>${Object.hasOwn(now, name) ? cellValue(now[name]) : "••••"}</td>
        <td>${Object.hasOwn(then, name) ? cellValue(then[name]) : "another value"}</td>
      </tr>`
  )}`
