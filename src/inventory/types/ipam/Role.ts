import { countOf, defineObjectType, integer, labels, named, text } from "../../ObjectType.ts"

/** The purpose of prefixes, VLANs and IP ranges. */
export default defineObjectType({
  app: "ipam",
  name: "role",
  plural: "roles",
  fields: {
    ...named(),
    weight: integer({ min: 0, max: 32_767, default: 1000 }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { prefix_count: countOf("ipam.prefix", "role"), vlan_count: countOf("ipam.vlan", "role") },
  search: ["name", "slug", "description"],
  ordering: ["weight", "name"],
  brief: ["name", "slug", "prefix_count", "vlan_count"]
})
