/** A page with one form, which is nobody's to keep or to frame. */
import { type Html, html, page } from "../Html.ts"
import type { Reply } from "../../http/Route.ts"

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  "referrer-policy": "same-origin"
}

/** `token`: what the form sends back to show that it is ours. */
export const formPage = (title: string, token: string, problem: string, fields: Html): Reply => ({
  status: 200,
  headers,
  text: {
    type: "text/html",
    content: page(
      title,
      html`<h1>${title}</h1>
        ${problem === "" ? [] : html`<p role="alert">${problem}</p>`}
        <form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="${token}" />${fields}</form>`
    )
  }
})
