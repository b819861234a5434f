/** A way to prove a second factor that is folded until it is needed: one code, in a form of its own. */
import { type Html, html } from "../Html.ts"

interface OtherWay {
  readonly summary: string
  readonly action: string
  readonly hidden: Html
  readonly label: string
  readonly name: "code" | "recovery"
  readonly autocomplete: "one-time-code" | "off"
  readonly button: string
  /** Whether it was sent before, and is open. */
  readonly isOpen: boolean
}

export const otherWay = ({ summary, action, hidden, label, name, autocomplete, button, isOpen }: OtherWay): Html =>
  html`<details class="other-way" ${isOpen ? html`open` : ""}>
    <summary>${summary}</summary>
    <form method="post" action="${action}">
      ${hidden}
      <p>
        <label
          >${label}
          <input
            name="${name}"
            autocomplete="${autocomplete}"
            autocapitalize="none"
            spellcheck="false"
            maxlength="64"
            required
            ${isOpen ? html`autofocus` : ""}
        /></label>
      </p>
      <button>${button}</button>
    </form>
  </details>`
