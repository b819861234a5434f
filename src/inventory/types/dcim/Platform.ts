import { countOf, defineObjectType, json, labels, named, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "platform",
  plural: "platforms",
  fields: {
    ...named(),
    manufacturer: ref("dcim.manufacturer", { optional: true, onDelete: "protect" }),
    config_template: ref("extras.configtemplate", { optional: true, onDelete: "protect" }),
    napalm_driver: text({ max: 50, optional: true }),
    napalm_args: json(),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: {
    device_count: countOf("dcim.device", "platform"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "platform")
  },
  search: ["name", "slug", "napalm_driver", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "device_count", "virtualmachine_count"]
})
