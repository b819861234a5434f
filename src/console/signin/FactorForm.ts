/** The page of a login that requests the second factor. It may carry another form, as the login does. */
import type { PasskeyRequest } from "../../auth/factor/passkey/Passkeys.ts"
import type { Reply } from "../../http/Route.ts"
import { type Html, html } from "../Html.ts"
import { carriedByLogin } from "../form/Carried.ts"
import { otherWay } from "../factor/OtherWay.ts"
import { passkeyForm } from "../factor/PasskeyForm.ts"
import { tokenInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { sheet } from "../frame/Sheet.ts"

export interface FactorStep {
  readonly sent?: URLSearchParams
  readonly problem?: string
  /** Whether a recovery code was sent before. */
  readonly isRecovery?: boolean
  /** Whether the user has an app. */
  readonly hasApp: boolean
  /** The request for a passkey; undefined for a user without any. */
  readonly passkey: PasskeyRequest | undefined
}

export const factorForm = (
  token: string,
  { sent = new URLSearchParams(), problem = "", isRecovery = false, hasApp, passkey }: FactorStep
): Reply => {
  const hidden = html`${tokenInput(token)}${carriedByLogin(sent)}`
  return sheet(
    "Second factor",
    html`${problem === "" ? "" : html`<p class="alert-line" role="alert">${problem}</p>`}
      ${passkey === undefined ? "" : passkeyForm({ action: "/login/factor/", kind: "get", request: passkey, inputs: hidden, button: html`${icon("key")}Use a passkey` })}
      ${passkey === undefined || !hasApp ? "" : html`<p class="ways-or">or</p>`}
      ${hasApp ? codeForm(hidden, isRecovery) : ""}
      ${otherWay({
        ...{ summary: "Use a recovery code", action: "/login/factor/", hidden },
        ...{ label: "Recovery code", name: "recovery", autocomplete: "off" },
        ...{ button: "Log in with the recovery code", isOpen: isRecovery }
      })}
      <p class="other-way"><a href="/login/">Log in as another user</a></p>`
  )
}

const codeForm = (hidden: Html, isRecovery: boolean): Html =>
  html`<form method="post" action="/login/factor/">
    ${hidden}
    <p>
      <label
        >Code of your authenticator app
        <input
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength="20"
          required
          ${isRecovery ? "" : html`autofocus`}
      /></label>
    </p>
    <button>Log in</button>
  </form>`
