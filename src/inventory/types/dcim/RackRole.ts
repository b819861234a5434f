import { color, countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "rackrole",
  plural: "rack-roles",
  menu: "Organization",
  label: "rack role",
  fields: {
    ...named(),
    color: color({ default: "9e9e9e" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { rack_count: countOf("dcim.rack", "role") },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "rack_count"]
})
