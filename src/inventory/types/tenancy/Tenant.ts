import { contactPaths, countOf, defineObjectType, labels, ref, slug, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "tenant",
  plural: "tenants",
  fields: {
    name: text({ max: 100 }),
    slug: slug(),
    group: ref("tenancy.tenantgroup", { optional: true, onDelete: "set null" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [
    { fields: ["group", "name"], message: "Tenant name must be unique per group." },
    { fields: ["group", "slug"], message: "Tenant slug must be unique per group." },
    { fields: ["name"], whereNull: "group", message: "Tenant name must be unique among those without a group." },
    { fields: ["slug"], whereNull: "group", message: "Tenant slug must be unique among those without a group." }
  ],
  counts: {
    circuit_count: countOf("circuits.circuit", "tenant"),
    cluster_count: countOf("virtualization.cluster", "tenant"),
    device_count: countOf("dcim.device", "tenant"),
    ipaddress_count: countOf("ipam.ipaddress", "tenant"),
    prefix_count: countOf("ipam.prefix", "tenant"),
    rack_count: countOf("dcim.rack", "tenant"),
    site_count: countOf("dcim.site", "tenant"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "tenant"),
    vlan_count: countOf("ipam.vlan", "tenant"),
    vrf_count: countOf("ipam.vrf", "tenant")
  },
  paths: contactPaths,
  search: ["name", "slug", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "slug"]
})
