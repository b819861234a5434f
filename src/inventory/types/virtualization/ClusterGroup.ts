import { contactPaths, countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "virtualization",
  name: "clustergroup",
  plural: "cluster-groups",
  label: "cluster group",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: { cluster_count: countOf("virtualization.cluster", "group") },
  paths: contactPaths,
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "cluster_count"]
})
