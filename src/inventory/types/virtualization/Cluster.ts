import { choice, countOf, defineObjectType, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "virtualization",
  name: "cluster",
  plural: "clusters",
  fields: {
    name: text({ max: 100 }),
    type: ref("virtualization.clustertype", { onDelete: "protect" }),
    group: ref("virtualization.clustergroup", { optional: true, onDelete: "protect" }),
    status: choice(
      {
        planned: "Planned",
        staging: "Staging",
        active: "Active",
        decommissioning: "Decommissioning",
        offline: "Offline"
      },
      { default: "active" }
    ),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    site: ref("dcim.site", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["group", "name"] }, { fields: ["site", "name"] }],
  counts: {
    device_count: countOf("dcim.device", "cluster"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "cluster")
  },
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "virtualmachine_count"]
})
