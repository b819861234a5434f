/** The page that requests the password or a code again. */
import { csrfToken } from "../../auth/Session.ts"
import type { PasskeyRequest } from "../../auth/factor/passkey/Passkeys.ts"
import type { Reply } from "../../http/Route.ts"
import { html } from "../Html.ts"
import { carriedByLogin } from "../form/Carried.ts"
import { tokenInput } from "../form/Csrf.ts"
import { otherWay } from "./OtherWay.ts"
import { passkeyForm } from "./PasskeyForm.ts"
import { icon } from "../frame/Icon.ts"
import { sheet } from "../frame/Sheet.ts"

export interface Confirmation {
  /** Key of the session. */
  readonly session: string
  /** The user name, for password managers. */
  readonly name?: string
  /** The fields of a form that was refused and continues afterwards. */
  readonly sent?: URLSearchParams
  /** The path that the browser is led to afterwards. */
  readonly next: string
  readonly problem?: string
  /** Whether a code was sent before, and not a password. */
  readonly isCode?: boolean
  /** The request for a passkey; undefined for a user without any. */
  readonly passkey: PasskeyRequest | undefined
}

export const confirmForm = ({
  session,
  name = "",
  sent = new URLSearchParams(),
  next,
  problem = "",
  isCode = false,
  passkey
}: Confirmation): Reply => {
  const hidden = html`${tokenInput(csrfToken(session))}<input
      type="hidden"
      name="next"
      value="${next}"
    />${carriedByLogin(sent)}`
  return sheet(
    "Confirm that it is you",
    html`${problem === "" ? "" : html`<p class="alert-line" role="alert">${problem}</p>`}
      <p>
        Your last login or confirmation was more than five minutes
        ago.${sent.size === 0 ? "" : " Nothing was saved yet, and nothing that you typed is lost."}
      </p>
      <form method="post" action="/user/confirm/">
        ${hidden}<input name="username" autocomplete="username" value="${name}" readonly hidden />
        <p>
          <label
            >Password
            <input
              name="password"
              type="password"
              autocomplete="current-password"
              maxlength="512"
              required
              ${isCode ? "" : html`autofocus`}
          /></label>
        </p>
        <button>Confirm</button>
      </form>
      ${otherWay({
        ...{ summary: "Use a code of your second factor", action: "/user/confirm/", hidden },
        ...{ label: "Code of the app, or a recovery code", name: "code", autocomplete: "one-time-code" },
        ...{ button: "Confirm with the code", isOpen: isCode }
      })}
      ${
        passkey === undefined
          ? ""
          : html`<p class="ways-or">or</p>
              ${passkeyForm({ action: "/user/confirm/", kind: "get", request: passkey, inputs: hidden, button: html`${icon("key")}Use a passkey` })}`
      }`
  )
}
