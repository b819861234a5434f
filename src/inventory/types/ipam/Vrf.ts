import { countOf, defineObjectType, flag, labels, ref, refs, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "ipam",
  name: "vrf",
  plural: "vrfs",
  identity: ["name", "rd"],
  fieldGroup: "Addresses",
  label: "VRF",
  fields: {
    name: text({ max: 100 }),
    rd: text({ max: 21, nullable: true, unique: true }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    enforce_unique: flag({ default: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    import_targets: refs("ipam.routetarget"),
    export_targets: refs("ipam.routetarget"),
    ...labels()
  },
  counts: {
    ipaddress_count: countOf("ipam.ipaddress", "vrf"),
    prefix_count: countOf("ipam.prefix", "vrf")
  },
  key: "rd",
  paths: { import_target: "import_targets", export_target: "export_targets" },
  search: ["name", "rd", "description", "comments"],
  ordering: ["name", "rd"],
  brief: ["name", "rd", "prefix_count"],
  display: (row) => (row.rd === null ? String(row.name) : `${row.name} (${row.rd})`)
})
