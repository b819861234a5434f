import { choice, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { authFields, authGroup } from "../../shared/WirelessAuth.ts"

export default defineObjectType({
  app: "wireless",
  name: "wirelesslan",
  plural: "wireless-lans",
  label: "Wireless LAN",
  key: "ssid",
  knownBy: ["ssid"],
  groups: authGroup,
  fields: {
    ssid: text({ max: 32 }),
    description: text({ max: 200, optional: true }),
    group: ref("wireless.wirelesslangroup", { optional: true, onDelete: "set null" }),
    status: choice(
      { active: "Active", reserved: "Reserved", disabled: "Disabled", deprecated: "Deprecated" },
      { default: "active" }
    ),
    vlan: ref("ipam.vlan", { optional: true, onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    ...authFields(),
    comments: text({ optional: true }),
    ...labels()
  },
  search: ["ssid", "description", "comments"],
  ordering: ["ssid"],
  brief: ["ssid"],
  display: (row) => row.ssid
})
