import type { RowOf } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import {
  type Bond,
  type Find,
  broken,
  defineObjectType,
  flag,
  generic,
  labels,
  ref,
  text,
  treeDepth
} from "../../ObjectType.ts"
import { component, componentFields, modularComponents } from "../../shared/Component.ts"

const fields = {
  ...componentFields(),
  parent: ref("dcim.inventoryitem", { optional: true, onDelete: "cascade", bare: true }),
  role: ref("dcim.inventoryitemrole", { optional: true, onDelete: "protect" }),
  manufacturer: ref("dcim.manufacturer", { optional: true, onDelete: "protect" }),
  part_id: text({ max: 50, optional: true }),
  serial: text({ max: 50, optional: true }),
  asset_tag: text({ max: 50, nullable: true, unique: true }),
  discovered: flag({ default: false }),
  ...generic("component", { types: modularComponents, optional: true, onDelete: "set null" }),
  ...labels()
}

type InventoryItem = RowOf<{ readonly fields: typeof fields }>

/** SQL of the device of the component of an item. */
const deviceOfComponent = (alias: string): string => {
  const cases = modularComponents.map(
    (type) =>
      `when ${literal(type)} then (select device_id from ${type.replace(".", "_")} where id = ${alias}.component_id)`
  )
  // In parentheses: the IF of PL/pgSQL ends at the first THEN that is outside of any.
  return `(case ${alias}.component_type ${cases.join(" ")} end)`
}

const ofDevice: Bond<InventoryItem> = {
  name: "parent",
  fields: ["parent", "device"],
  applies: "new.parent_id is not null",
  lock: "select from dcim_inventoryitem where id = new.parent_id for share",
  broken: `exists (select from dcim_inventoryitem p where p.id = j.parent_id and p.device_id <> j.device_id)`,
  rule: "The parent of an inventory item belongs to the same device.",
  errors: () => ({ parent: ["Parent inventory item does not belong to the same device."] }),
  others: [
    {
      type: "dcim.inventoryitem",
      fields: ["device"],
      reaches: "j.parent_id = new.id",
      field: "device",
      message: "'Cannot move an inventory item with dependent children'"
    }
  ]
}

/** `check` reports it: an item that moves leaves its component behind, which the trigger clears. */
const componentHere: Bond<InventoryItem> = {
  name: "component",
  fields: ["component_id", "component_type", "device"],
  applies: "new.component_id is not null",
  broken: `j.component_id is not null and ${deviceOfComponent("j")} <> j.device_id`,
  rule: "The component of an inventory item belongs to the same device.",
  others: []
}

export default defineObjectType({
  ...component,
  app: "dcim",
  name: "inventoryitem",
  plural: "inventory-items",
  menu: "Components",
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
  paths: { ...component.paths, serial: "serial__ie" },
  search: ["name", "label", "part_id", "serial", "asset_tag", "description"],
  brief: ["device", "name", "_depth"],
  looksAt: ["parent", "component_type"],
  *check(row, find, before) {
    if (before !== undefined && row.parent === row.id) {
      yield broken(["parent"], { parent: ["Cannot assign self as parent."] })
    }
    const names = ["component_type", "component_id"] as const
    const isNew = before === undefined || names.some((name) => row[name] !== before[name])
    if (isNew && isElsewhere(row, find)) {
      const message = "Cannot assign inventory item to component on another device"
      yield broken([...names, "device"], { device: [message] })
    }
  },
  bonds: [ofDevice, componentHere],
  functions: [
    `create or replace function rackwire_leave_component() returns trigger language plpgsql as $$
     begin
       if (new.component_type, new.component_id) is not distinct from (old.component_type, old.component_id)
           and ${deviceOfComponent("new")} <> new.device_id then
         new.component_type := null;
         new.component_id := null;
       end if;
       return new;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_inventoryitem_leave",
      sql: `before update of device_id on dcim_inventoryitem for each row
        when (old.device_id <> new.device_id and new.component_id is not null)
        execute function rackwire_leave_component()`
    }
  ]
})

const isElsewhere = (row: InventoryItem, find: Find): boolean => {
  const found = row.component_type === null ? undefined : find(row.component_type, row.component_id)
  return found !== undefined && found["device"] !== row.device
}
