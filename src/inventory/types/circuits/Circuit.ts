import { choice, contactPaths, date, defineObjectType, integer, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "circuits",
  name: "circuit",
  plural: "circuits",
  units: { commit_rate: "kbit/s" },
  fields: {
    cid: text({ max: 100 }),
    provider: ref("circuits.provider", { onDelete: "protect" }),
    type: ref("circuits.circuittype", { onDelete: "protect" }),
    status: choice(
      {
        planned: "Planned",
        provisioning: "Provisioning",
        active: "Active",
        offline: "Offline",
        deprovisioning: "Deprovisioning",
        decommissioned: "Decommissioned"
      },
      { default: "active" }
    ),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    install_date: date(),
    termination_date: date(),
    commit_rate: integer({ min: 0, max: 2_147_483_647, optional: true, help: "In kbit/s." }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["provider", "cid"] }],
  paths: contactPaths,
  search: ["cid", "description", "comments"],
  ordering: ["provider", "cid"],
  brief: ["cid"],
  display: (row) => String(row.cid)
})
