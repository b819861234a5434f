/** The CSRF token of forms: a browser sends the session's cookie for any site, but only our pages know the token. */
import { csrfToken } from "../../auth/Session.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"

/** The hidden field that sends the token back. */
export const tokenInput = (token: string): Html =>
  html`<input type="hidden" name="csrfmiddlewaretoken" value="${token}" />`

/** The same for the sender's session; nothing without one, since a token of the API needs no other. */
export const csrfInput = ({ principal: { session } }: Pick<Request, "principal">): Html =>
  session === undefined ? html`` : tokenInput(csrfToken(session))

/** The token of the sender's session; "" without one. */
export const tokenOf = ({ principal: { session } }: Pick<Request, "principal">): string =>
  session === undefined ? "" : csrfToken(session)
