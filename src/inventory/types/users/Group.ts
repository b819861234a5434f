import { defineObjectType, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "users",
  name: "group",
  plural: "groups",
  kind: "account",
  fields: {
    name: text({ max: 150, unique: true })
  },
  search: ["name"],
  ordering: ["name"],
  brief: ["name"],
  display: (row) => String(row["name"])
})
