import { defineObjectType, labels, ref, text } from "../../ObjectType.ts"

/** A network that circuits lead into, and of which nothing but its provider is known. */
export default defineObjectType({
  app: "circuits",
  name: "providernetwork",
  plural: "provider-networks",
  label: "provider network",
  fields: {
    provider: ref("circuits.provider", { onDelete: "protect" }),
    name: text({ max: 100 }),
    service_id: text({ max: 100, optional: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["provider", "name"] }],
  search: ["name", "service_id", "description", "comments"],
  ordering: ["provider", "name"],
  brief: ["name"]
})
