import { choice, defineObjectType, generic, labels, ref } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "contactassignment",
  plural: "contact-assignments",
  menu: "Contacts",
  label: "contact assignment",
  fields: {
    ...generic("object", { typeField: "content_type", onDelete: "cascade" }),
    contact: ref("tenancy.contact", { onDelete: "protect" }),
    role: ref("tenancy.contactrole", { optional: true, onDelete: "protect" }),
    priority: choice(
      { primary: "Primary", secondary: "Secondary", tertiary: "Tertiary", inactive: "Inactive" },
      { optional: true, bare: "brief" }
    ),
    ...labels()
  },
  unique: [{ fields: ["content_type", "object_id", "contact", "role"] }],
  paths: { q: ["contact/name__ic", "role/name__ic"] },
  search: [],
  ordering: ["contact"],
  brief: ["contact", "role", "priority"],
  displayBy: ["contact"],
  display: (row, view) => {
    const contact = view.row("tenancy.contact", Number(row.contact))
    const priority = row.priority === null ? "" : ` (${String(row.priority)})`
    return `${String(contact?.name ?? `#${row.id}`)}${priority}`
  }
})
