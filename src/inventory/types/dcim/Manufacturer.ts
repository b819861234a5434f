import { contactPaths, countOf, defineObjectType, labels, named, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "manufacturer",
  plural: "manufacturers",
  fields: {
    ...named(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: {
    devicetype_count: countOf("dcim.devicetype", "manufacturer"),
    inventoryitem_count: countOf("dcim.inventoryitem", "manufacturer"),
    platform_count: countOf("dcim.platform", "manufacturer")
  },
  paths: contactPaths,
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "devicetype_count"]
})
