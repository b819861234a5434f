/** The form that renames several objects, and the preview of the new names. */
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"
import { counted, listOf } from "./BulkPage.ts"
import { type Renaming, textCharsMax } from "./Renaming.ts"
import { type Selection, selectionInputs } from "./Selection.ts"

interface Form {
  readonly request: Request
  readonly selected: Selection
  readonly renaming: Renaming
  /** Error of the form sent before, or "". */
  readonly problem: string
  readonly cancel: string
}

export const renameForm = ({ request, selected, renaming, problem, cancel }: Form): Html => {
  const { find, replace, isPattern } = renaming
  const wrong = problem === "" ? "" : html` aria-invalid="true" aria-describedby="e-find"`
  return html`${problem === "" ? "" : html`<div class="alert-line" role="alert"><b>Nothing was changed.</b> Correct the marked field.</div>`}
    <form class="card object-form" method="post">
      ${selectionInputs(request, selected)}
      <div class="form-row">
        <label for="f-find">Find<span class="required" title="required">*</span></label>
        <div>
          <input
            class="field-in"
            id="f-find"
            name="find"
            value="${find}"
            maxlength="${textCharsMax}"
            autocomplete="off"
            required
            autofocus
            ${wrong}
          />
          ${problem === "" ? "" : html`<p class="field-error" id="e-find">${problem}</p>`}
        </div>
      </div>
      <div class="form-row">
        <label for="f-replace">Replace with</label>
        <div>
          <input
            class="field-in"
            id="f-replace"
            name="replace"
            value="${replace}"
            maxlength="${textCharsMax}"
            autocomplete="off"
          />
          <p class="sub">Empty removes each match.</p>
        </div>
      </div>
      <div class="form-row">
        <span></span>
        <div>
          <label class="box"
            ><input
              class="form-check-input"
              type="checkbox"
              name="pattern"
              value="1"
              ${isPattern ? html` checked` : ""}
            />Find a regular expression</label
          >
          <p class="sub">
            In Python's syntax. In the replacement <code>\\1</code> and <code>\\g&lt;name&gt;</code> are groups.
          </p>
        </div>
      </div>
      <div class="form-end">
        <button class="btn btn-sm btn-primary" name="step" value="preview">Preview</button>
        <a class="btn btn-sm" href="${cancel}">Cancel</a>
      </div>
    </form>`
}

/** Most new names that the preview shows. */
const shownMax = 200

interface Preview {
  readonly type: ObjectType
  readonly request: Request
  readonly selected: Selection
  readonly renaming: Renaming
  readonly renamed: ReadonlyArray<{ readonly id: number; readonly from: string; readonly to: string }>
  readonly mark: string
  /** Whether the names cannot be written as they are. */
  readonly isRefused: boolean
}

export const renamePreview = (preview: Preview): Html => {
  const { type, request, selected, renaming, renamed, mark, isRefused } = preview
  const rest = selected.ids.length - renamed.length
  return html`<form class="card object-form" method="post">
      ${selectionInputs(request, selected)}
      <input type="hidden" name="find" value="${renaming.find}" />
      <input type="hidden" name="replace" value="${renaming.replace}" />
      ${renaming.isPattern ? html`<input type="hidden" name="pattern" value="1" />` : ""}
      <input type="hidden" name="previewed" value="${mark}" />
      <p>
        ${counted(type, renamed.length)} would get another
        name${rest === 0 ? "" : html`, and ${number(rest)} selected would keep ${rest === 1 ? "its" : "their"} name`}.
        Nothing is written yet.
      </p>
      <div class="form-end">
        ${isRefused ? "" : html`<button class="btn btn-sm btn-primary" name="step" value="apply">${icon("check")}Rename ${counted(type, renamed.length)}</button>`}
        <button class="btn btn-sm" name="step" value="">Change</button>
        <a class="btn btn-sm" href="${listOf(type, request)}">Cancel</a>
      </div>
    </form>
    <div class="card">
      <div class="table-responsive">
        <table class="table table-vcenter card-table dense">
          <caption class="visually-hidden">
            New names
          </caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">New name</th>
            </tr>
          </thead>
          <tbody>
            ${renamed.slice(0, shownMax).map(
              ({ id, from, to }) =>
                html`<tr>
                  <th scope="row"><a href="${pathOf(type, id)}">${shortened(from)}</a></th>
                  <td><ins>${to === "" ? html`<span class="none">empty</span>` : shortened(to)}</ins></td>
                </tr>`
            )}
          </tbody>
        </table>
      </div>
      ${renamed.length > shownMax ? html`<div class="tf"><span class="sub">and ${number(renamed.length - shownMax)} more</span></div>` : ""}
    </div>`
}
