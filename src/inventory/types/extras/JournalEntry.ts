import { choice, defineObjectType, generic, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "extras",
  name: "journalentry",
  plural: "journal-entries",
  menu: "Logging",
  label: "journal entry",
  fields: {
    ...generic("assigned_object", { onDelete: "cascade" }),
    created_by: ref("users.user", { optional: true, onDelete: "set null", byAuthor: true, bare: true }),
    kind: choice({ info: "Info", success: "Success", warning: "Warning", danger: "Danger" }, { default: "info" }),
    comments: text(),
    ...labels()
  },
  indexes: [["assigned_object_type", "assigned_object_id"]],
  paths: { created_after: "created__gte", created_before: "created__lte" },
  search: ["comments"],
  ordering: ["-created"],
  brief: ["created"],
  display: (row) => `${String(row.created).slice(0, 10)} - ${String(row.kind)}`
})
