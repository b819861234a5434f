/** A warning about a webhook that is valid and does not do what its author may want. */
import { type Html, html } from "../Html.ts"

export const warningLine = (text: string): Html => html`<p class="alert-line alert-warn"><b>Condition:</b> ${text}</p>`
