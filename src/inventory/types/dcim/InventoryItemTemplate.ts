import { broken, defineObjectType, generic, ref, text, treeDepth } from "../../ObjectType.ts"
import { described, deviceTemplate, ofDeviceType, staysRules } from "../../shared/ComponentTemplate.ts"
import type ConsolePortTemplate from "./ConsolePortTemplate.ts"

const fields = {
  ...ofDeviceType(),
  parent: ref("dcim.inventoryitemtemplate", { optional: true, onDelete: "cascade", bare: true }),
  role: ref("dcim.inventoryitemrole", { optional: true, onDelete: "protect" }),
  manufacturer: ref("dcim.manufacturer", { optional: true, onDelete: "protect" }),
  part_id: text({ max: 50, optional: true }),
  ...generic("component", {
    types: [
      "dcim.consoleporttemplate",
      "dcim.consoleserverporttemplate",
      "dcim.frontporttemplate",
      "dcim.interfacetemplate",
      "dcim.poweroutlettemplate",
      "dcim.powerporttemplate",
      "dcim.rearporttemplate"
    ],
    optional: true,
    onDelete: "set null"
  }),
  ...described()
}

export default defineObjectType({
  ...deviceTemplate,
  app: "dcim",
  name: "inventoryitemtemplate",
  plural: "inventory-item-templates",
  label: "inventory item template",
  fields,
  unique: [
    { fields: ["device_type", "parent", "name"] },
    {
      fields: ["device_type", "name"],
      whereNull: "parent",
      message: "Inventory item template with this Device type and Name already exists."
    }
  ],
  indexes: [["component_type", "component_id"]],
  counts: { _depth: treeDepth },
  search: ["name", "label", "part_id", "description"],
  brief: ["name", "_depth"],
  looksAt: ["parent", "component_type"],
  *check(row, find, before) {
    yield* staysRules(row, before)
    const parent = find<{ readonly fields: typeof fields }>("dcim.inventoryitemtemplate", row.parent)
    if (parent !== undefined && parent.device_type !== row.device_type) {
      const message = "Parent inventory item template does not belong to the same device type."
      yield broken(["parent", "device_type"], { parent: [message] })
    }
    const component = find<typeof ConsolePortTemplate>(String(row.component_type), row.component_id)
    if (component !== undefined && component.device_type !== row.device_type) {
      const message = "Cannot assign inventory item template to component template of another device type"
      yield broken(["component_type", "component_id", "device_type"], { component_id: [message] })
    }
  }
})
