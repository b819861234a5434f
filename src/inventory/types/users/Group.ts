import { countOf, defineObjectType, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "users",
  name: "group",
  plural: "groups",
  kind: "account",
  fields: {
    name: text({ max: 150, unique: true })
  },
  counts: { user_count: countOf("users.user", "groups") },
  search: ["name"],
  ordering: ["name"],
  brief: ["name"],
  display: (row) => String(row.name)
})
