/** A colour as people see it. Pure. */
import { type Html, html } from "../Html.ts"

/** Nothing for a text that is no colour: plain SQL may have stored anything. */
export const swatch = (color: unknown): Html =>
  typeof color === "string" && /^[0-9a-f]{6}$/i.test(color)
    ? html`<svg class="swatch" width="14" height="14" aria-hidden="true">
        <rect x="0.5" y="0.5" width="13" height="13" rx="3" fill="#${color}" />
      </svg>`
    : html``
