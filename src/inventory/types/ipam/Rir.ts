import { countOf, defineObjectType, flag, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "ipam",
  name: "rir",
  plural: "rirs",
  label: "RIR",
  fields: {
    ...named(),
    is_private: flag({ default: false }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { aggregate_count: countOf("ipam.aggregate", "rir") },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "aggregate_count"]
})
