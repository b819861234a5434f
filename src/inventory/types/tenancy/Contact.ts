import { defineObjectType, email, labels, ref, text, url } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "contact",
  plural: "contacts",
  menu: "Contacts",
  fields: {
    group: ref("tenancy.contactgroup", { optional: true, onDelete: "set null" }),
    name: text({ max: 100 }),
    title: text({ max: 100, optional: true }),
    phone: text({ max: 50, optional: true }),
    email: email({ optional: true }),
    address: text({ max: 200, optional: true }),
    link: url({ optional: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["group", "name"] }],
  search: ["name", "title", "phone", "email", "address", "link", "description", "comments"],
  ordering: ["name"],
  brief: ["name"]
})
