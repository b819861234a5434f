/** A port as people name it: with its device, its power panel or its circuit. Pure. */
import type { Dictionary } from "../../inventory/Field.ts"
import { parentOf } from "../../inventory/read/Paths.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { valueOf } from "./Value.ts"

/** `end`: its brief representation. */
export const peer = (end: Dictionary): Html => {
  const parent = parentOf(end)
  return html`${parent === undefined ? "" : html`${valueOf(parent)}${icon("chevron-right", "step")}`}${valueOf(end)}`
}
