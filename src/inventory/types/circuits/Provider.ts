import { contactPaths, countOf, defineObjectType, labels, named, refs, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "circuits",
  name: "provider",
  plural: "providers",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    asns: refs("ipam.asn"),
    ...labels()
  },
  counts: { circuit_count: countOf("circuits.circuit", "provider") },
  paths: { ...contactPaths, asn_id: "asns/id" },
  search: ["name", "slug", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "slug", "circuit_count"]
})
