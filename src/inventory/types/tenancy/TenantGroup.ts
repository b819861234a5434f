import { defineObjectType, labels, named, ref, text, treeCount, treeDepth } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "tenantgroup",
  plural: "tenant-groups",
  label: "tenant group",
  fields: {
    ...named(),
    parent: ref("tenancy.tenantgroup", { optional: true, onDelete: "cascade" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { tenant_count: treeCount("tenancy.tenant", "group"), _depth: treeDepth },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "tenant_count", "_depth"]
})
