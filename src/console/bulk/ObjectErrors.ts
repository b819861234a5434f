/** Errors of each of several objects. */
import { type Errors, textsIn } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { type Html, html } from "../Html.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { isOfObject } from "../form/ObjectForm.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { fieldTitle, pathOf } from "../value/Title.ts"
import { fieldPrefix } from "./Edit.ts"

/** Most objects whose errors are shown. */
const toldMax = 50

export interface Wrong {
  readonly id: number
  readonly display: string
  readonly errors: Errors
}

/** The errors of each object by field, in words. `form`: the inputs of the edit that was tried. */
export const objectErrors = (type: ObjectType, wrong: ReadonlyArray<Wrong>, form: URLSearchParams): Html =>
  html`<div class="alert-line links" role="alert">
    <b
      >Nothing can be changed, because ${wrong.length === 1 ? "one object" : `${number(wrong.length)} objects`} would be
      wrong.</b
    >
    <ul class="faults">
      ${wrong
        .slice(0, toldMax)
        .map(
          ({ id, display, errors }) =>
            html`<li>
              <a href="${pathOf(type, id)}">${display}</a>:
              ${Object.entries(errors).map(([field, messages]) => faultOf(type, field, textsIn(messages), form.get(`${fieldPrefix}${field}`) ?? undefined))}
            </li>`
        )}
      ${wrong.length > toldMax ? html`<li>and ${number(wrong.length - toldMax)} more</li>` : ""}
    </ul>
  </div>`

const faultOf = (type: ObjectType, field: string, messages: ReadonlyArray<string>, input: string | undefined): Html => {
  const text = shortened(inWordsAll({ type, name: field, messages, input }), 500)
  return isOfObject(field) ? html`${text} ` : html`<b>${fieldTitle(field)}</b>: ${text} `
}
