import { expect, it } from "vitest"
import { fieldTitle, nameOfType, titleOfType } from "../../src/console/value/Title.ts"

it.each([
  ["physical_address", "Physical address"],
  ["primary_ip4", "Primary IPv4"],
  ["_occupied", "Occupied"],
  ["wireless_lans", "Wireless LANs"],
  ["l2vpn_termination", "L2VPN termination"]
])("the title of %s is %s", (name, title) => {
  expect(fieldTitle(name)).toBe(title)
})

it.each([
  ["dcim.devicetype", undefined, "device type", "Device type"],
  ["3:dcim.site", "headquarters", "site", "Site · headquarters"],
  ["3:dcim.site", undefined, "site", "Site · source 3"],
  ["netbox_dns.zone", undefined, "zone (netbox_dns)", "Zone (netbox_dns)"],
  ["3:netbox_bgp.bgpsession", "headquarters", "bgpsession (netbox_bgp)", "Bgpsession (netbox_bgp) · headquarters"],
  ["nonsense", undefined, "nonsense", "Nonsense"]
])("the type %s of the source %s is a %s", (id, source, name, title) => {
  expect([nameOfType(id), titleOfType(id, source)]).toEqual([name, title])
})
