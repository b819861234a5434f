import type { Errors, RowOf } from "../../Field.ts"
import type { OtherSide } from "../../Rule.ts"
import {
  type Bond,
  type RuleViolation,
  type Find,
  broken,
  choice,
  contactPaths,
  decimal,
  defineObjectType,
  flagged,
  integer,
  json,
  labels,
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
import { parts } from "./DeviceParts.ts"
import { configContext } from "../../context/ConfigContextValue.ts"
import { localErrors } from "../../context/Limits.ts"
import { ofDevice } from "../../shared/Creation.ts"

/** SQL of the height of a device's type. */
const heightOf = (alias: string) => `(select u_height from dcim_devicetype where id = ${alias}.device_type_id)`
const isDeep = (alias: string) => `(select is_full_depth from dcim_devicetype where id = ${alias}.device_type_id)`

const primary = primaryAddresses({
  type: "dcim.device",
  interfaces: "dcim.interface",
  owns: "f.device_id = j.id",
  called: "device",
  otherFamily: (address, family) => `${address} is not an IPv${family} address.`,
  shares: `not f.mgmt_only and j.virtual_chassis_id = (select virtual_chassis_id from dcim_device where id = f.device_id)`,
  moves: [
    { type: "dcim.interface", field: "mgmt_only", when: "new.mgmt_only", reaches: (on) => on("f.id = new.id") },
    { type: "dcim.device", field: "virtual_chassis", reaches: (on) => `j.id = new.id or ${on("f.device_id = new.id")}` }
  ]
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
  local_context_data: json({ grammar: localErrors }),
  config_template: ref("extras.configtemplate", { optional: true, onDelete: "protect" }),
  ...labels()
}

type Device = RowOf<{ readonly fields: typeof fields }>

/** SQL that two devices want the same units of a rack. */
const overlap = `t.rack_id = j.rack_id and t.position < j.position + ${heightOf("j")}
  and j.position < t.position + ${heightOf("t")} and (t.face = j.face or ${isDeep("j")} or ${isDeep("t")})`

const noSpace = (row: Device, find: Find): Errors => {
  const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
  const unit = `U${String(row.position)} is already occupied or does not have sufficient space`
  return { position: [`${unit} to accommodate this device type: ${String(type?.model)} (${String(type?.u_height)}U)`] }
}

/** Locks of the rack and the type: a write of their heights, or of the places of the rack, waits. */
const placeLock = `select from dcim_devicetype y, dcim_rack r
  where y.id = new.device_type_id and r.id = new.rack_id for share of y for no key update of r`

/** The side of the type of a device, where it grows. */
const growth = (fields: ReadonlyArray<string>, when: string): OtherSide => ({
  type: "dcim.devicetype",
  fields,
  when,
  reaches: "j.device_type_id = new.id and j.position is not null",
  field: fields[0]!,
  message: `format('Device dcim.device #%s in rack dcim.rack #%s does not have sufficient space to accommodate a height of %sU',
    j.id, j.rack_id, trim_scale(new.u_height))`
})

const fits: Bond<Device> = {
  name: "fits",
  fields: ["rack", "position", "device_type"],
  applies: "new.position is not null",
  lock: placeLock,
  broken: `exists (select from dcim_devicetype y, dcim_rack r where y.id = j.device_type_id and r.id = j.rack_id
    and j.position is not null and (y.u_height = 0 or j.position + y.u_height > r.u_height + 1))`,
  rule: "A device with a position has a height, and lies within its rack.",
  errors: (row, find) => {
    const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
    if (type?.u_height !== 0) return noSpace(row, find)
    return { position: [`A U0 device type (${type.model}) cannot be assigned to a rack position.`] }
  },
  others: [
    growth(["u_height"], "new.u_height > old.u_height"),
    {
      ...growth(["u_height"], "new.u_height = 0"),
      message: `format('Unable to set 0U height: Found %s instances already mounted within racks.',
        (select count(*) from dcim_device d where d.device_type_id = new.id and d.position is not null))`
    },
    {
      type: "dcim.rack",
      fields: ["u_height"],
      when: "new.u_height < old.u_height",
      reaches: "j.rack_id = new.id",
      field: "u_height",
      message: `format('Rack must be at least %sU tall to house currently installed devices.',
        (select trim_scale(max(d.position + ${heightOf("d")} - 1)) from dcim_device d where d.rack_id = new.id))`
    }
  ]
}

const apart: Bond<Device> = {
  name: "apart",
  fields: ["rack", "position", "face", "device_type"],
  distinct: ["position"],
  applies: "new.position is not null",
  lock: placeLock,
  broken: `exists (select from dcim_device t where t.id <> j.id and ${overlap})`,
  rule: "No two devices have the same units of a rack.",
  others: [
    growth(["u_height"], "new.u_height > old.u_height"),
    growth(["is_full_depth"], "new.is_full_depth and not old.is_full_depth")
  ]
}

export default defineObjectType({
  app: "dcim",
  name: "device",
  plural: "devices",
  knownBy: ["serial"],
  groups: {
    Place: ["position", "face"],
    "Virtual chassis": ["virtual_chassis", "vc_position", "vc_priority"]
  },
  fields,
  panels: parts.panels,
  creation: ofDevice,
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
  derived: { ...primary.derived, config_context: configContext },
  pointedBy: parts.pointedBy,
  paths: {
    ...contactPaths,
    name: "name__ie",
    serial: "serial__ie",
    role: "device_role",
    model: "device_type",
    is_full_depth: "device_type/is_full_depth",
    mac_address: "<dcim.interface.device/mac_address",
    ...parts.paths
  },
  asked: {
    ...primary.asked,
    virtual_chassis_member: flagged("t.virtual_chassis_id is not null"),
    local_context_data: flagged("t.local_context_data is not null"),
    ...parts.asked
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
  looksAt: ["site", "location", "rack", "device_type.default_platform", "platform", "cluster", ...primary.looksAt],
  *check(row, find) {
    yield* placeRules(row, find)
    yield* partRules(row, find)
  },
  bonds: [...primary.bonds, fits, apart],
  triggers: parts.triggers,
  functions: parts.functions,
  rivals: [
    {
      fields: ["rack", "position", "face", "device_type"],
      where: overlap,
      lock: "case when j.position is not null then j.rack_id::text end",
      errors: (row, _, find) => noSpace(row, find)
    }
  ]
})

/** Its place: site, location, rack, and its place in the rack. */
function* placeRules(row: Device, find: Find): Iterable<RuleViolation> {
  const site = find<typeof Site>("dcim.site", row.site)
  const location = find<typeof Location>("dcim.location", row.location)
  const rack = find<typeof Rack>("dcim.rack", row.rack)
  const position = row.position
  if (rack !== undefined && rack.site !== row.site) {
    yield broken(["rack", "site"], { rack: [`Rack ${rack.name} does not belong to site ${site?.name}.`] })
  }
  if (location !== undefined && location.site !== row.site) {
    const message = `Location ${location.name} does not belong to site ${site?.name}.`
    yield broken(["location", "site"], { location: [message] })
  }
  if (rack !== undefined && location !== undefined && rack.location !== row.location) {
    const message = `Rack ${rack.name} does not belong to location ${location.name}.`
    yield broken(["rack", "location"], { rack: [message] })
  }
  yield* childRules(row, find)
  if (rack === undefined) {
    if (row.face !== null) {
      yield broken(["rack", "face"], { face: ["Cannot select a rack face without assigning a rack."] })
    }
    if (position !== null) {
      yield broken(["rack", "position"], { position: ["Cannot select a rack position without assigning a rack."] })
    }
    return
  }
  if (position === null) return
  if ((Number(position) * 2) % 1 !== 0) {
    yield broken(["position"], { position: ["Position must be in increments of 0.5 rack units."] })
  }
  if (row.face === null) {
    yield broken(["position", "face"], { face: ["Must specify rack face when defining rack position."] })
  }
}

/** A device of a child type is in a bay of its parent, and the parent in the rack. */
function* childRules(row: Device, find: Find): Iterable<RuleViolation> {
  if (find<typeof DeviceType>("dcim.devicetype", row.device_type)?.subdevice_role !== "child") return
  for (const name of ["face", "position"] as const) {
    if (row[name] === null) continue
    const message = `Child device types cannot be assigned to a rack ${name}. This is an attribute of the parent device.`
    yield broken([name, "device_type"], { [name]: [message] })
  }
}

/** Errors of the device's platform, cluster, chassis and components. */
function* partRules(row: Device, find: Find): Iterable<RuleViolation> {
  const platform = find<typeof Platform>("dcim.platform", row.platform)
  const cluster = find<typeof Cluster>("virtualization.cluster", row.cluster)
  const type = find<typeof DeviceType>("dcim.devicetype", row.device_type)
  if (typeof platform?.manufacturer === "number" && platform.manufacturer !== type?.manufacturer) {
    const message = "The assigned platform is limited to device types of another manufacturer."
    yield broken(["platform", "device_type"], { platform: [message] })
  }
  if (typeof cluster?.site === "number" && cluster.site !== row.site) {
    const message = `The assigned cluster belongs to a different site (${String(cluster.site)})`
    yield broken(["cluster", "site"], { cluster: [message] })
  }
  if (row.virtual_chassis !== null && row.vc_position === null) {
    const message = "A device assigned to a virtual chassis must have its position defined."
    yield broken(["virtual_chassis", "vc_position"], { vc_position: [message] })
  }
}
