import { csrfToken } from "../../auth/Session.ts"
import type { Request } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"

/** The hidden field of a form by which the service knows that one of its own pages sent the form. */
export const csrfInput = ({ principal: { session } }: Request): Html =>
  session === undefined
    ? html``
    : html`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken(session)}" />`
