import { defineObjectType, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "ipam",
  name: "routetarget",
  plural: "route-targets",
  label: "route target",
  fields: {
    name: text({ max: 21, unique: true }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  paths: {
    importing_vrf: "<ipam.vrf.import_targets/rd",
    importing_vrf_id: "<ipam.vrf.import_targets/id",
    exporting_vrf: "<ipam.vrf.export_targets/rd",
    exporting_vrf_id: "<ipam.vrf.export_targets/id"
  },
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name"]
})
