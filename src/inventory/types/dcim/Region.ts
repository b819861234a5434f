import { defineObjectType, ref, slug, tags, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "region",
  plural: "regions",
  fields: {
    name: text({ max: 100 }),
    slug: slug(),
    parent: ref("dcim.region", { optional: true, onDelete: "cascade" }),
    description: text({ max: 200, optional: true }),
    tags: tags()
  },
  unique: [
    { fields: ["parent", "name"] },
    { fields: ["parent", "slug"] },
    { fields: ["name"], whereNull: "parent", message: "A top-level region with this name already exists." },
    { fields: ["slug"], whereNull: "parent", message: "A top-level region with this slug already exists." }
  ],
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug"],
  display: (row) => String(row["name"])
})
