import { contactPaths, defineObjectType, labels, ref, slug, text, treeCount, treeDepth } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "region",
  plural: "regions",
  menu: "Organization",
  fieldGroup: "Place",
  fields: {
    name: text({ max: 100 }),
    slug: slug(),
    parent: ref("dcim.region", { optional: true, onDelete: "cascade" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  unique: [
    { fields: ["parent", "name"] },
    { fields: ["parent", "slug"] },
    { fields: ["name"], whereNull: "parent", message: "A top-level region with this name already exists." },
    { fields: ["slug"], whereNull: "parent", message: "A top-level region with this slug already exists." }
  ],
  counts: { site_count: treeCount("dcim.site", "region"), _depth: treeDepth },
  paths: contactPaths,
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "site_count", "_depth"]
})
