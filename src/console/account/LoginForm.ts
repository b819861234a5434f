/** The form of the login. It may carry what was typed into another form, whose session has ended. */
import { randomBytes } from "node:crypto"
import type { Reply } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { csrfCookie, formCookie } from "../../http/wire/Cookies.ts"
import { html } from "../Html.ts"
import { carriedByLogin } from "../form/Carried.ts"
import { formPage } from "../form/FormPage.ts"

interface Login {
  /** The path to go to afterwards. */
  readonly next: string
  readonly sent?: URLSearchParams
  readonly title?: string
  readonly problem?: string
  /** The user name as it was typed before; "" for none. */
  readonly name?: string
}

/** Without a session the CSRF token is a random one, which the browser keeps in a cookie. */
export const loginForm = (
  { incoming, origin }: Pick<Request, "incoming" | "origin">,
  { next, sent = new URLSearchParams(), title = "Log in", problem = "", name = "" }: Login
): Reply => {
  const known = incoming.cookies[csrfCookie(origin)] ?? ""
  const token = /^[\w-]{43,64}$/.test(known) ? known : randomBytes(32).toString("base64url")
  const fields = html`<input type="hidden" name="next" value="${next}" />${carriedByLogin(sent)}
    <p>
      <label
        >Username
        <input name="username" value="${name}" autocomplete="username" required ${name === "" ? html`autofocus` : ""}
      /></label>
    </p>
    <p>
      <label
        >Password
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          ${name === "" ? "" : html`autofocus`}
      /></label>
    </p>
    <button>Log in</button>`
  return { ...formPage(title, token, problem, fields, "/login/"), cookies: [formCookie(origin, token)] }
}
