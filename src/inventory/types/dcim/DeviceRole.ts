import { color, countOf, defineObjectType, flag, labels, named, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "devicerole",
  plural: "device-roles",
  label: "device role",
  fields: {
    ...named(),
    color: color({ default: "9e9e9e" }),
    vm_role: flag({ default: true }),
    config_template: ref("extras.configtemplate", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: {
    device_count: countOf("dcim.device", "device_role"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "role")
  },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "device_count", "virtualmachine_count"]
})
