import { expect, it } from "vitest"
import { fieldTitle } from "../../src/console/value/Title.ts"

it.each([
  ["physical_address", "Physical address"],
  ["primary_ip4", "Primary IPv4"],
  ["_occupied", "Occupied"],
  ["wireless_lans", "Wireless LANs"],
  ["l2vpn_termination", "L2VPN termination"]
])("the title of %s is %s", (name, title) => {
  expect(fieldTitle(name)).toBe(title)
})
