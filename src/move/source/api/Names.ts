/** Names of the API's fields: those that NetBox computes, and those whose values mappings compute with. Pure. */
import { type ObjectType, nothing } from "../../../inventory/ObjectType.ts"
import { mappings } from "../Mappings.ts"

/** Fields that NetBox computes from others, or shows of other objects, in the releases 3.1 to 4.2. */
const computed = new Set([
  ...["url", "display", "display_url", "data_type", "family", "children", "config_context", "parent_device"],
  ...["primary_ip", "link_peer", "link_peer_type", "link_peers", "link_peers_type", "cable_peer", "cable_peer_type"],
  ...["connected_endpoint", "connected_endpoint_type", "connected_endpoints", "connected_endpoints_type"],
  ...["connected_endpoint_reachable", "connected_endpoints_reachable", "cable", "cable_end", "l2vpn_termination"],
  ...["mac_addresses", "permissions", "last_login", "utilization", "tagged_items", "device_count"],
  ...[
    "front_ports",
    "installed_module",
    "members",
    "allocated_vcpus",
    "allocated_memory",
    "allocated_disk",
    "key_permissions"
  ]
])

const times: ReadonlySet<string> = new Set(["created", "last_updated"])

/** Whether a field has no value of its own: one that is computed, or which this service writes by itself. */
export const isComputed = (type: ObjectType | undefined, key: string): boolean => {
  if (!/^[a-z][a-z0-9_]{0,58}$/.test(key) || key.endsWith("_count")) return true
  if (type === undefined) return computed.has(key)
  const field = type.fields[key]
  // No object has a value here: those of NetBox are reported.
  if (type.derived[key] === nothing) return false
  if (field === undefined)
    return computed.has(key) || key in type.derived || key in type.counts || key in type.pointedBy
  if (type.kind === "record" || field.wire === "both" || times.has(key)) return false
  // Fields that a mapping reads, such as the time of a user's creation.
  return mappings.get(type.id)?.some(({ fields }) => fields?.[key] !== undefined) !== true
}

/** Columns that mappings compute with; all others are JSON as the API has it. */
const natives: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dcim_rack: { starting_unit: "integer" },
  dcim_device: { position: "numeric" },
  dcim_rackreservation: { units: "integer[]" },
  dcim_cabletermination: { cable_end: "text" },
  extras_customfield: { ui_visible: "text", ui_editable: "text" },
  extras_customfieldchoiceset: { base_choices: "text", extra_choices: "text[]" },
  extras_eventrule: { action_type: "text", event_types: "text[]" },
  ipam_vlangroup: { vid_ranges: "int4range[]" },
  virtualization_virtualmachine: { disk: "bigint" }
}

/** The type of Postgres of a column. */
export const nativeType = (table: string, column: string): string => natives[table]?.[column] ?? "jsonb"
