/** A page with one form. No cache keeps it, and no other site can frame it. */
import type { Reply } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"
import { pageReply } from "./Layout.ts"

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  "referrer-policy": "same-origin"
}

/** `token` is the CSRF token that the form sends back; `problem` is what was wrong with the form sent before, or "". */
export const formPage = (title: string, token: string, problem: string, fields: Html): Reply => ({
  ...pageReply(
    title,
    html`<h1>${title}</h1>
      ${problem === "" ? [] : html`<p role="alert">${problem}</p>`}
      <form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="${token}" />${fields}</form>`
  ),
  headers
})
