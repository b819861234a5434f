/** What is wrong with each of several objects. */
import { type Errors, textsIn } from "../../../inventory/Field.ts"
import type { ObjectType } from "../../../inventory/ObjectType.ts"
import { type Html, html } from "../../Html.ts"
import { shortened } from "../list/Cell.ts"
import { number } from "../list/Pager.ts"
import { fieldTitle, pathOf } from "../Title.ts"

/** Most objects whose errors are told. */
const toldMax = 50

export interface Wrong {
  readonly id: number
  readonly display: string
  readonly errors: Errors
}

/** The errors of each object by field, in words. */
export const objectErrors = (type: ObjectType, wrong: ReadonlyArray<Wrong>): Html =>
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
              ${Object.entries(errors).map(([field, messages]) => faultOf(field, textsIn(messages)))}
            </li>`
        )}
      ${wrong.length > toldMax ? html`<li>and ${number(wrong.length - toldMax)} more</li>` : ""}
    </ul>
  </div>`

/** `__all__` and the like are rules about several fields. */
const faultOf = (field: string, messages: ReadonlyArray<string>): Html => {
  const text = shortened(messages.join(" "), 500)
  return /^(__all__|non_field_errors)$/.test(field) ? html`${text} ` : html`<b>${fieldTitle(field)}</b>: ${text} `
}
