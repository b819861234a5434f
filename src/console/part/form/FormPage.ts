/** A page with one form. No cache keeps it, and no other site can frame it. */
import type { Reply } from "../../../http/Route.ts"
import { type Html, html } from "../../Html.ts"
import { documentReply } from "../Document.ts"
import { icon } from "../Icon.ts"

/** `token` is the CSRF token that the form sends back; `problem` is what was wrong with the form sent before, or "". */
export const formPage = (title: string, token: string, problem: string, fields: Html): Reply =>
  documentReply(
    title,
    html`<div class="centre">
      <main>
        <a class="brand" href="/"><span class="brand-mark">${icon("stack-3")}</span>Rackwire</a>
        <div class="card sheet">
          <h1>${title}</h1>
          ${problem === "" ? [] : html`<p class="alert-line" role="alert">${problem}</p>`}
          <form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="${token}" />${fields}</form>
        </div>
      </main>
    </div>`
  )
