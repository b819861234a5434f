/** How long ago something was, in the largest unit that fits. Pure. */
import { html, type Html } from "../Html.ts"

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"]
] as const

/** `2026-11-20T14:02:11Z` -> `4 s ago`; its title is the exact time. A time to come is `now`. */
export const ago = (time: string, now: number): Html => {
  const passed = now - Date.parse(time)
  const [size, unit] = units.find(([millis]) => passed >= millis) ?? [1000, ""]
  const words = unit === "" ? "now" : `${Math.floor(passed / size)} ${unit} ago`
  return html`<time datetime="${time}" title="${time.replace("T", " ").replace("Z", " UTC")}">${words}</time>`
}
