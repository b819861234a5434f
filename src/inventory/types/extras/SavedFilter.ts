import { isDictionary } from "../../Field.ts"
import { broken, defineObjectType, flag, integer, json, ref, slug, text, texts } from "../../ObjectType.ts"

export default defineObjectType({
  app: "extras",
  name: "savedfilter",
  plural: "saved-filters",
  label: "saved filter",
  fields: {
    content_types: texts({ grammar: "objectTypes" }),
    name: text({ max: 100, unique: true }),
    slug: slug({ unique: true }),
    description: text({ max: 200, optional: true }),
    user: ref("users.user", { optional: true, onDelete: "set null", bare: true }),
    weight: integer({ min: 0, max: 32_767, default: 100 }),
    enabled: flag({ default: true }),
    shared: flag({ default: true }),
    parameters: json()
  },
  search: ["name", "description"],
  ordering: ["weight", "name"],
  brief: ["name", "slug"],
  *check(row) {
    if (isDictionary(row.parameters)) return
    const message = "Filter parameters must be stored as a dictionary of keyword arguments."
    yield broken(["parameters"], { parameters: [message] })
  }
})
