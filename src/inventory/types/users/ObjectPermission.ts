import { defineObjectType, flag, json, refs, text, texts } from "../../ObjectType.ts"

/** Actions that users and members of groups may do to objects of these types, or to those that meet the constraints. */
export default defineObjectType({
  app: "users",
  name: "objectpermission",
  plural: "permissions",
  label: "permission",
  kind: "account",
  fields: {
    name: text({ max: 100 }),
    description: text({ max: 200, optional: true }),
    enabled: flag({ default: true }),
    object_types: texts({ grammar: "anyTypes" }),
    groups: refs("users.group"),
    users: refs("users.user"),
    actions: texts({
      suggested: { view: "View", add: "Add", change: "Change", delete: "Delete", grant: "Grant tokens" }
    }),
    constraints: json({ grammar: "constraints", readBy: "object_types" })
  },
  paths: { group: "groups", user: "users" },
  search: ["name", "description"],
  ordering: ["name"],
  brief: ["name", "enabled", "object_types", "groups", "users", "actions"],
  display: (row) => String(row.name)
})
