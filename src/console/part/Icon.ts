import { assetUrl } from "../Assets.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"

const sprite = assetUrl("icons.svg")

/** An icon beside a text that says the same: screen readers pass over it. */
export const icon = (name: IconName, classes = ""): Html =>
  html`<svg class="i ${classes}" aria-hidden="true" focusable="false"><use href="${sprite}#${name}"></use></svg>`
