/**
 * A card beside a form, which a route makes of the fields as they are now. With scripts it follows what is typed; without
 * them a button opens it in a tab of its own.
 */
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"

interface Pane {
  /** The id of its element, which parts of the page may name. */
  readonly id: string
  /** The route that makes the card. */
  readonly path: string
  readonly title: string
  /** The purpose of the card, which it shows first. */
  readonly note: string
  /** The words of the button. */
  readonly action: string
}

export const formPane = ({ id, path, title, note, action }: Pane): Html =>
  html`<div
    id="${id}"
    hx-post="${path}"
    hx-include="closest form"
    hx-trigger="load, input delay:300ms from:'closest form'"
    hx-target="this"
    hx-swap="innerHTML"
    hx-sync="this:replace"
  >
    <section class="card">
      <div class="ch"><h2>${title}</h2></div>
      <p class="note sub">${note}</p>
      <p class="note">
        <button class="btn btn-sm" formaction="${path}" formtarget="_blank">${icon("eye")}${action}</button>
      </p>
    </section>
  </div>`
