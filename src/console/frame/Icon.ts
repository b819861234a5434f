import { assetUrl } from "../Assets.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"

const sprite = assetUrl("icons.svg")

/** Each kind of icon is made once: a list of objects has hundreds. */
const made = new Map<string, Html>()

/** An icon beside a text that says the same: screen readers pass over it. `classes` are the code's, never a reader's. */
export const icon = (name: IconName, classes = ""): Html => {
  const key = `${name} ${classes}`
  const known = made.get(key)
  if (known !== undefined) return known
  const drawn = html`<svg class="i ${classes}" aria-hidden="true" focusable="false">
    <use href="${sprite}#${name}"></use>
  </svg>`
  made.set(key, drawn)
  return drawn
}
