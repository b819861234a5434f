import { choice, countOf, defineObjectType, integer, labels, ref, text } from "../../ObjectType.ts"
import type Site from "../dcim/Site.ts"
import type VlanGroup from "./VlanGroup.ts"

export default defineObjectType({
  app: "ipam",
  name: "vlan",
  plural: "vlans",
  label: "VLAN",
  fields: {
    site: ref("dcim.site", { optional: true, onDelete: "protect" }),
    group: ref("ipam.vlangroup", { optional: true, onDelete: "protect" }),
    vid: integer({ min: 1, max: 4094 }),
    name: text({ max: 64 }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    status: choice({ active: "Active", reserved: "Reserved", deprecated: "Deprecated" }, { default: "active" }),
    role: ref("ipam.role", { optional: true, onDelete: "set null" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["group", "vid"] }, { fields: ["group", "name"] }],
  counts: { prefix_count: countOf("ipam.prefix", "vlan") },
  search: ["name", "vid", "description", "comments"],
  ordering: ["site", "group", "vid"],
  brief: ["vid", "name"],
  display: (row) => `${row.name} (${row.vid})`,
  looksAt: ["group", "site"],
  check: (row, find) => {
    const group = find<typeof VlanGroup>("ipam.vlangroup", row.group)
    if (group === undefined) return {}
    const { name, min_vid: min, max_vid: max } = group
    if (Number(row.vid) < Number(min) || Number(row.vid) > Number(max)) {
      return { vid: [`VID must be between ${min} and ${max} for VLANs in group ${name}`] }
    }
    const isScope = group.scope_type === "dcim.site" && group.scope_id === row.site
    if (row.site !== null && !isScope) {
      const site = find<typeof Site>("dcim.site", row.site)?.name
      return { __all__: [`VLAN is assigned to group ${name}; cannot also assign to site ${site}.`] }
    }
    return {}
  }
})
