/** The menu by which readers choose the columns of a list. */
import type { Request } from "../../http/wire/Request.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { shownColumns } from "./Columns.ts"
import { withQuery } from "./Query.ts"

export const columnsMenu = (type: ObjectType, request: Request, shown: ReadonlyArray<string>): Html =>
  html`<details class="menu">
    <summary class="btn btn-sm">${icon("columns-3")}Columns</summary>
    <form
      class="menu-list menu-form"
      method="post"
      action="${withQuery(`${pathOf(type)}columns/`, request.url.searchParams)}"
    >
      ${csrfInput(request)}
      <fieldset>
        <legend class="visually-hidden">Columns</legend>
        ${shownColumns(type).map(
          (name) =>
            html`<label
              ><input
                class="form-check-input"
                type="checkbox"
                name="column"
                value="${name}"
                ${shown.includes(name) ? html` checked` : ""}
              />${fieldTitle(name)}</label
            >`
        )}
      </fieldset>
      <div class="end">
        <button class="btn btn-sm btn-primary">Apply</button>
        <button class="btn btn-sm" name="reset" value="1">Reset</button>
      </div>
    </form>
  </details>`
