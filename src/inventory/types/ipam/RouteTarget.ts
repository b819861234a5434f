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
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name"]
})
