import { type Html, html } from "../Html.ts"

/** How much is used, percent, as a bar with its number. `isPart`: only a part was counted. */
export const bar = (used: number, isPart: boolean): Html => {
  const exact = used > 0 && used < 1 && !isPart ? "< 1" : isPart && used < 10 ? used.toFixed(1) : `${Math.round(used)}`
  const text = `${isPart ? "≥ " : ""}${exact} %`
  return html`<span class="bar"
    ><progress max="100" value="${Math.min(100, used)}" aria-hidden="true"></progress
    ><span class="num">${text}</span></span
  >`
}
