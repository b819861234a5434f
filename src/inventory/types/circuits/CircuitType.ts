import { countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "circuits",
  name: "circuittype",
  plural: "circuit-types",
  label: "circuit type",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { circuit_count: countOf("circuits.circuit", "type") },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "circuit_count"]
})
