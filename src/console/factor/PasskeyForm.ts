/** A form that a passkey completes (asset/script/passkey.js). Without scripts its button stays disabled. */
import type { PasskeyRequest } from "../../auth/factor/passkey/Passkeys.ts"
import { credentialIn } from "../../auth/factor/passkey/Ceremony.ts"
import { type Html, html } from "../Html.ts"

interface PasskeyForm {
  readonly action: string
  readonly kind: "create" | "get"
  readonly request: PasskeyRequest
  /** The hidden and visible inputs of the form. */
  readonly inputs: Html
  readonly button: Html
}

export const passkeyForm = ({ action, kind, request: { options, ticket }, inputs, button }: PasskeyForm): Html =>
  html`<form
    class="passkey"
    method="post"
    action="${action}"
    data-passkey="${kind}"
    data-options="${JSON.stringify(options)}"
  >
    ${inputs}<input type="hidden" name="ticket" value="${ticket}" /><input type="hidden" name="answer" value="" />
    <button disabled>${button}</button>
    <p class="field-error" role="alert"></p>
    <noscript><p>A passkey needs scripts, because the browser offers it to scripts alone.</p></noscript>
  </form>`

/** The answer of the browser in a form that was sent; `cookie` is that of the browser. */
export const answerIn = (form: URLSearchParams, cookie: string) => ({
  ticket: form.get("ticket") ?? "",
  response: credentialIn(form.get("answer") ?? ""),
  cookie
})
