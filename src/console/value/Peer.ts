/** A port as people name it: with its device, or with its power panel. Pure. */
import { type Dictionary, isDictionary } from "../../inventory/Field.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { valueOf } from "./Value.ts"

/** `end`: its brief representation. */
export const peer = (end: Dictionary): Html => {
  const parent = ["device", "power_panel"].map((name) => end[name]).find(isDictionary)
  return html`${parent === undefined ? "" : html`${valueOf(parent)}${icon("chevron-right", "step")}`}${valueOf(end)}`
}
