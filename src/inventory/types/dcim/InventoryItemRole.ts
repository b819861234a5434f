import { color, countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "inventoryitemrole",
  plural: "inventory-item-roles",
  menu: "Components",
  label: "inventory item role",
  fields: {
    ...named(),
    color: color({ default: "9e9e9e" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { inventoryitem_count: countOf("dcim.inventoryitem", "role") },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "inventoryitem_count"]
})
