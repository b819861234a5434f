import { type Html, html } from "../Html.ts"

/** How much is used, percent, as a bar with its number. `isPart`: only a part was counted. */
export const bar = (used: number, isPart: boolean): Html => {
  const text = `${isPart ? "≥ " : ""}${used > 0 && used < 1 ? "< 1" : Math.round(used)} %`
  return html`<span class="bar"
    ><progress max="100" value="${Math.min(100, used)}" aria-hidden="true"></progress
    ><span class="num">${text}</span></span
  >`
}
