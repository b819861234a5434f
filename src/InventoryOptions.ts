/** The options of the inventory: environment name, type, default, description. */
import * as kind from "./Setting.ts"
import { setting } from "./Setting.ts"

export const inventoryOptions = {
  inventory: setting(
    "INVENTORY",
    kind.oneOf("on", "off"),
    "on",
    "`off` leaves the inventory out of the console's menu and home page, where Rackwire only sends the changes of sources. Its pages and its API stay."
  )
} as const
