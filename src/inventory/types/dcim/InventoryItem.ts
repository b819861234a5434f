import { broken, defineObjectType, flag, generic, labels, ref, text, treeDepth } from "../../ObjectType.ts"
import type Interface from "./Interface.ts"

const fields = {
  device: ref("dcim.device", { onDelete: "cascade" }),
  parent: ref("dcim.inventoryitem", { optional: true, onDelete: "cascade", bare: true }),
  name: text({ max: 64 }),
  label: text({ max: 64, optional: true }),
  manufacturer: ref("dcim.manufacturer", { optional: true, onDelete: "protect" }),
  part_id: text({ max: 50, optional: true }),
  serial: text({ max: 50, optional: true }),
  asset_tag: text({ max: 50, nullable: true, unique: true }),
  discovered: flag({ default: false }),
  description: text({ max: 200, optional: true }),
  ...generic("component", { types: ["dcim.interface"], optional: true, onDelete: "set null" }),
  ...labels()
}

export default defineObjectType({
  app: "dcim",
  name: "inventoryitem",
  plural: "inventory-items",
  label: "inventory item",
  fields,
  unique: [
    { fields: ["device", "parent", "name"] },
    {
      fields: ["device", "name"],
      whereNull: "parent",
      message: "Inventory item with this Device and Name already exists."
    }
  ],
  indexes: [["component_type", "component_id"]],
  counts: { _depth: treeDepth },
  paths: {
    serial: "serial__ie",
    // As in NetBox, devices in locations below do not count here.
    location: "device/=location",
    device_type: "device/device_type/model",
    device_type_id: "device/device_type_id"
  },
  search: ["name", "label", "part_id", "serial", "asset_tag", "description"],
  ordering: ["device", "name"],
  brief: ["device", "name", "_depth"],
  display: (row) => (row.label === "" ? String(row.name) : `${row.name} (${row.label})`),
  looksAt: ["parent", "component_type"],
  *check(row, find) {
    const parent = find<{ readonly fields: typeof fields }>("dcim.inventoryitem", row.parent)
    if (parent !== undefined && parent.device !== row.device) {
      yield broken(["parent", "device"], { parent: ["Parent inventory item does not belong to the same device."] })
    }
    const component = find<typeof Interface>("dcim.interface", row.component_id)
    if (component !== undefined && component.device !== row.device) {
      const message = "Cannot assign inventory item to component on another device"
      yield broken(["component_id", "device"], { component_id: [message] })
    }
  }
})
