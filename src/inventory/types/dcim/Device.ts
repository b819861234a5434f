import type { Errors, RowOf } from "../../Field.ts"
import {
  type Find,
  choice,
  contactPaths,
  decimal,
  defineObjectType,
  flagged,
  integer,
  json,
  labels,
  nothing,
  pointedAtBy,
  primaryAddresses,
  ref,
  text
} from "../../ObjectType.ts"
import type Cluster from "../virtualization/Cluster.ts"
import type DeviceType from "./DeviceType.ts"
import type Location from "./Location.ts"
import type Platform from "./Platform.ts"
import type Rack from "./Rack.ts"
import type Site from "./Site.ts"
import { airflows } from "./DeviceType.ts"

/** SQL of the height of a device's type. */
const heightOf = (alias: string) => `(select u_height from dcim_devicetype where id = ${alias}.device_type_id)`
const isDeep = (alias: string) => `(select is_full_depth from dcim_devicetype where id = ${alias}.device_type_id)`

const primary = primaryAddresses({
  interfaces: "dcim.interface",
  owner: "device",
  called: "device",
  otherFamily: (address, family) => `${address} is not an IPv${family} address.`
})

const fields = {
  name: text({ max: 64, nullable: true }),
  device_type: ref("dcim.devicetype", { onDelete: "protect" }),
  device_role: ref("dcim.devicerole", { onDelete: "protect" }),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  platform: ref("dcim.platform", { optional: true, onDelete: "set null" }),
  serial: text({ max: 50, optional: true }),
  asset_tag: text({ max: 50, nullable: true, unique: true }),
  site: ref("dcim.site", { onDelete: "protect" }),
  location: ref("dcim.location", { optional: true, onDelete: "protect" }),
  rack: ref("dcim.rack", { optional: true, onDelete: "protect" }),
  position: decimal({
    digits: 4,
    places: 1,
    min: 1,
    max: 100.5,
    optional: true,
    help: "The lowest unit that it takes."
  }),
  face: choice({ front: "Front", rear: "Rear" }, { optional: true }),
  status: choice(
    {
      offline: "Offline",
      active: "Active",
      planned: "Planned",
      staged: "Staged",
      failed: "Failed",
      inventory: "Inventory",
      decommissioning: "Decommissioning"
    },
    { default: "active" }
  ),
  airflow: choice(airflows, { optional: true }),
  ...primary.fields,
  cluster: ref("virtualization.cluster", { optional: true, onDelete: "set null" }),
  virtual_chassis: ref("dcim.virtualchassis", { optional: true, onDelete: "set null" }),
  vc_position: integer({ min: 0, max: 255, optional: true }),
  vc_priority: integer({ min: 0, max: 255, optional: true }),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  local_context_data: json(),
  ...labels()
}

type Device = RowOf<{ readonly fields: typeof fields }>

export default defineObjectType({
  app: "dcim",
  name: "device",
  plural: "devices",
  groups: {
    Place: ["position", "face"],
    "Virtual chassis": ["virtual_chassis", "vc_position", "vc_priority"]
  },
  fields,
  unique: [
    { fields: ["name", "site", "tenant"], ignoreCase: ["name"] },
    {
      fields: ["name", "site"],
      ignoreCase: ["name"],
      whereNull: "tenant",
      message: "Device name must be unique per site."
    },
    { fields: ["rack", "position", "face"] },
    { fields: ["virtual_chassis", "vc_position"] }
  ],
  // There are no device bays and no config templates: NetBox' names for what a device has none of.
  derived: { ...primary.derived, parent_device: nothing, config_template: nothing },
  paths: {
    ...contactPaths,
    name: "name__ie",
    serial: "serial__ie",
    role: "device_role",
    model: "device_type",
    is_full_depth: "device_type/is_full_depth",
    mac_address: "<dcim.interface.device/mac_address"
  },
  asked: {
    ...primary.asked,
    virtual_chassis_member: flagged("t.virtual_chassis_id is not null"),
    local_context_data: flagged("t.local_context_data is not null"),
    interfaces: pointedAtBy("dcim.interface", "device_id")
  },
  search: ["name", "serial", "asset_tag", "description", "comments"],
  ordering: ["name"],
  brief: ["name"],
  displayBy: ["device_type"],
  display: (row, view) => {
    if (row.name === null) {
      return String(view.row("dcim.devicetype", Number(row.device_type))?.model ?? `#${row.id}`)
    }
    return row.asset_tag === null ? String(row.name) : `${row.name} (${row.asset_tag})`
  },
  looksAt: ["site", "location", "rack", "device_type", "platform", "cluster", ...primary.looksAt],
  check: (row, find) => ({ ...placeErrors(row, find), ...partErrors(row, find), ...primary.errors(row, find) }),
  rivals: [
    {
      where: `t.rack_id = j.rack_id and t.position < j.position + ${heightOf("j")}
        and j.position < t.position + ${heightOf("t")} and (t.face = j.face or ${isDeep("j")} or ${isDeep("t")})`,
      lock: "case when j.position is not null then j.rack_id::text end",
      errors: (row, _, find) => {
        const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
        const shown = `${String(type?.model)} (${String(type?.u_height)}U)`
        const unit = `U${String(row.position)} is already occupied or does not have sufficient space`
        return { position: [`${unit} to accommodate this device type: ${shown}`] }
      }
    }
  ]
})

/** Where it stands: site, location, rack, and its place in the rack. */
const placeErrors = (row: Device, find: Find): Errors => {
  const site = find<typeof Site>("dcim.site", row.site)
  const location = find<typeof Location>("dcim.location", row.location)
  const rack = find<typeof Rack>("dcim.rack", row.rack)
  const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
  const position = row.position
  if (rack !== undefined && rack.site !== row.site) {
    return { rack: [`Rack ${rack.name} does not belong to site ${site?.name}.`] }
  }
  if (location !== undefined && location.site !== row.site) {
    return { location: [`Location ${location.name} does not belong to site ${site?.name}.`] }
  }
  if (rack !== undefined && location !== undefined && rack.location !== row.location) {
    return { rack: [`Rack ${rack.name} does not belong to location ${location.name}.`] }
  }
  if (rack === undefined) {
    if (row.face !== null) return { face: ["Cannot select a rack face without assigning a rack."] }
    if (position !== null) return { position: ["Cannot select a rack position without assigning a rack."] }
    return {}
  }
  if (position === null) return {}
  if ((Number(position) * 2) % 1 !== 0) return { position: ["Position must be in increments of 0.5 rack units."] }
  if (row.face === null) return { face: ["Must specify rack face when defining rack position."] }
  if (type?.u_height === 0) {
    return { position: [`A U0 device type (${String(type.model)}) cannot be assigned to a rack position.`] }
  }
  if (Number(position) + Number(type?.u_height) > Number(rack.u_height) + 1) {
    const shown = `${String(type?.model)} (${String(type?.u_height)}U)`
    const unit = `U${String(position)} is already occupied or does not have sufficient space`
    return { position: [`${unit} to accommodate this device type: ${shown}`] }
  }
  return {}
}

/** Errors of the device's platform, cluster, chassis and components. */
const partErrors = (row: Device, find: Find): Errors => {
  const platform = find<typeof Platform>("dcim.platform", row.platform)
  const cluster = find<typeof Cluster>("virtualization.cluster", row.cluster)
  const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
  if (typeof platform?.manufacturer === "number" && platform.manufacturer !== type?.manufacturer) {
    return { platform: ["The assigned platform is limited to device types of another manufacturer."] }
  }
  if (typeof cluster?.site === "number" && cluster.site !== row.site) {
    return { cluster: [`The assigned cluster belongs to a different site (${String(cluster.site)})`] }
  }
  if (row.virtual_chassis !== null && row.vc_position === null) {
    return { vc_position: ["A device assigned to a virtual chassis must have its position defined."] }
  }
  return {}
}
