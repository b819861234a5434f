import { defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "tenancy",
  name: "contactrole",
  plural: "contact-roles",
  menu: "Contacts",
  label: "contact role",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug"]
})
