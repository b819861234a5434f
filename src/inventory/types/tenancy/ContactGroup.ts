import { defineObjectType, labels, ref, slug, text, treeCount, treeDepth } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "contactgroup",
  plural: "contact-groups",
  menu: "Contacts",
  label: "contact group",
  fields: {
    name: text({ max: 100 }),
    slug: slug(),
    parent: ref("tenancy.contactgroup", { optional: true, onDelete: "cascade" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  unique: [
    { fields: ["parent", "name"] },
    { fields: ["name"], whereNull: "parent", message: "A top-level contact group with this name already exists." }
  ],
  counts: { contact_count: treeCount("tenancy.contact", "group"), _depth: treeDepth },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "contact_count", "_depth"]
})
