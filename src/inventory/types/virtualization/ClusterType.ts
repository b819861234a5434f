import { countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "virtualization",
  name: "clustertype",
  plural: "cluster-types",
  label: "cluster type",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { cluster_count: countOf("virtualization.cluster", "type") },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "cluster_count"]
})
