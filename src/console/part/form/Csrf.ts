/** The CSRF token of forms: a browser sends the session's cookie for any site, but only our pages know the token. */
import { csrfToken } from "../../../auth/Session.ts"
import type { Request } from "../../../http/Route.ts"
import { type Html, html } from "../../Html.ts"

export const csrfInput = (token: string): Html =>
  html`<input type="hidden" name="csrfmiddlewaretoken" value="${token}" />`

/** The token of the sender's session; "" without one. */
export const tokenOf = ({ principal: { session } }: Pick<Request, "principal">): string =>
  session === undefined ? "" : csrfToken(session)
