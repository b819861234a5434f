/** The page of a login that requests the second factor. It may carry another form, as the login does. */
import type { Reply } from "../../http/Route.ts"
import { html } from "../Html.ts"
import { carriedByLogin } from "../form/Carried.ts"
import { tokenInput } from "../form/Csrf.ts"
import { sheet } from "../frame/Sheet.ts"

interface FactorStep {
  readonly sent?: URLSearchParams
  readonly problem?: string
  /** Whether a recovery code was sent before. */
  readonly isRecovery?: boolean
}

export const factorForm = (
  token: string,
  { sent = new URLSearchParams(), problem = "", isRecovery = false }: FactorStep
): Reply => {
  const hidden = html`${tokenInput(token)}${carriedByLogin(sent)}`
  return sheet(
    "Second factor",
    html`${problem === "" ? "" : html`<p class="alert-line" role="alert">${problem}</p>`}
      <form method="post" action="/login/factor/">
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
      </form>
      <details class="other-way" ${isRecovery ? html`open` : ""}>
        <summary>Use a recovery code</summary>
        <form method="post" action="/login/factor/">
          ${hidden}
          <p>
            <label
              >Recovery code
              <input
                name="recovery"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                maxlength="64"
                required
                ${isRecovery ? html`autofocus` : ""}
            /></label>
          </p>
          <button>Log in with the recovery code</button>
        </form>
      </details>
      <p class="other-way"><a href="/login/">Log in as another user</a></p>`
  )
}
