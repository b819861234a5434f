import type { RowOf } from "../../Field.ts"
import { type Bond, choice, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { ofModule } from "../../shared/Creation.ts"
import type Device from "./Device.ts"

const fields = {
  device: ref("dcim.device", { onDelete: "cascade" }),
  module_bay: ref("dcim.modulebay", { onDelete: "cascade", unique: true }),
  module_type: ref("dcim.moduletype", { onDelete: "protect" }),
  status: choice(
    {
      offline: "Offline",
      active: "Active",
      planned: "Planned",
      staged: "Staged",
      failed: "Failed",
      decommissioning: "Decommissioning"
    },
    { default: "active" }
  ),
  serial: text({ max: 50, optional: true }),
  asset_tag: text({ max: 50, nullable: true, unique: true }),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  ...labels()
}

/** A module is in a bay of its device. Bays stay with their device. */
const inBay: Bond<RowOf<{ readonly fields: typeof fields }>> = {
  name: "bay",
  fields: ["module_bay", "device"],
  applies: "true",
  broken: `exists (select from dcim_modulebay b where b.id = j.module_bay_id and b.device_id <> j.device_id)`,
  rule: "A module is in a module bay of its device.",
  errors: (row, find) => {
    const device = find<typeof Device>("dcim.device", row.device)
    const shown = device?.name ?? `#${row.device}`
    const message = `Module must be installed within a module bay belonging to the assigned device (${shown}).`
    return { __all__: [message] }
  },
  others: []
}

export default defineObjectType({
  app: "dcim",
  name: "module",
  plural: "modules",
  // Its bay alone names it, and has no text of its own.
  identity: ["module_bay", "asset_tag"],
  fields,
  creation: ofModule,
  search: ["serial", "asset_tag", "description", "comments"],
  ordering: ["module_bay"],
  brief: ["device", "module_bay", "module_type"],
  displayBy: ["module_bay", "module_type"],
  display: (row, view) => {
    const bay = view.row("dcim.modulebay", row.module_bay)?.["name"]
    const model = view.row("dcim.moduletype", row.module_type)?.["model"]
    return `${String(bay ?? `#${row.module_bay}`)}: ${String(model ?? `#${row.module_type}`)} (${row.id})`
  },
  looksAt: ["device"],
  bonds: [inBay]
})
