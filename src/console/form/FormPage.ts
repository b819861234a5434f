/** A page with one form. No cache keeps it, and no other site can frame it. */
import type { Reply } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"
import { sheet } from "../frame/Sheet.ts"
import { tokenInput } from "./Csrf.ts"

/**
 * `token` is the CSRF token that the form sends back; `problem` is what was wrong with the form sent before, or "". The
 * form is sent to `action`, or to the address of the page.
 */
export const formPage = (title: string, token: string, problem: string, fields: Html, action = ""): Reply =>
  sheet(
    title,
    html`${problem === "" ? [] : html`<p class="alert-line" role="alert">${problem}</p>`}
      <form method="post" ${action === "" ? "" : html` action="${action}"`}>${tokenInput(token)}${fields}</form>`
  )
