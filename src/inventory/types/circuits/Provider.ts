import { contactPaths, countOf, defineObjectType, labels, named, refs, text } from "../../ObjectType.ts"

/** Steps of filters from a provider to the sites of its circuits. */
const sites = "<circuits.circuit.provider/<circuits.circuittermination.circuit/site"

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
  pointedBy: { accounts: { type: "circuits.provideraccount", field: "provider" } },
  paths: {
    ...contactPaths,
    asn_id: "asns/id",
    site: [sites],
    region: [`${sites}/region`],
    site_group: [`${sites}/group`]
  },
  search: ["name", "slug", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "slug", "circuit_count"]
})
