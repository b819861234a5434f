import { defineObjectType, generic, integer, ref } from "../../ObjectType.ts"

/** An interface that is in an FHRP group. */
export default defineObjectType({
  app: "ipam",
  name: "fhrpgroupassignment",
  plural: "fhrp-group-assignments",
  label: "FHRP group assignment",
  fields: {
    group: ref("ipam.fhrpgroup", { onDelete: "cascade" }),
    ...generic("interface", { types: ["dcim.interface", "virtualization.vminterface"], onDelete: "cascade" }),
    priority: integer({ min: 0, max: 255 })
  },
  unique: [{ fields: ["interface_type", "interface_id", "group"] }],
  // NetBox's brief form names the group by its id alone.
  derived: { group_id: { shape: { kind: "integer" }, of: (row) => row.group } },
  paths: {
    device: ["interface:dcim.interface/device"],
    virtual_machine: ["interface:virtualization.vminterface/virtual_machine"]
  },
  search: [],
  ordering: ["-priority"],
  brief: ["interface_type", "interface_id", "group_id", "priority"],
  displayBy: ["interface_type", "group"],
  display: (row, view) => {
    const shown = (type: string, id: number) => String(view.nested(type, id)?.["display"] ?? `#${id}`)
    return `${shown(row.interface_type, row.interface_id)}: ${shown("ipam.fhrpgroup", row.group)} (${row.priority})`
  }
})
