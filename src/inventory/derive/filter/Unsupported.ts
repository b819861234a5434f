/**
 * The filters of NetBox 3.5 that Rackwire does not have. They are refused by name: if they were ignored, as unknown names
 * are, a client would get all objects and go on to change or delete the wrong one.
 */
import { type ObjectType, perType } from "../../ObjectType.ts"

const patterns = ["n", "ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie"]

/** NetBox's lookups by the kind of filter. */
const lookups = {
  alone: [],
  choice: ["n"],
  pattern: patterns,
  text: [...patterns, "empty"],
  number: ["n", "lt", "lte", "gt", "gte", "empty"]
} as const

type Kind = keyof typeof lookups

const contentTypes = { pattern: "content_types", number: "content_type_id" }

const templateTypes = "device_type device_type_id module_type module_type_id"

/** Comparisons of ids. */
const ordered = (name: string): string =>
  ["lt", "lte", "gt", "gte", "empty"].map((lookup) => `${name}__${lookup}`).join(" ")

/** By object type and kind of filter. A lookup of these that Rackwire has is not refused. */
const unsupported: Readonly<Record<string, Partial<Record<Kind, string>>>> = {
  "extras.configcontext": { choice: "data_file_id data_source_id", number: "data_synced" },
  "extras.configtemplate": { choice: "data_file_id data_source_id", number: "data_synced" },
  "extras.customfield": contentTypes,
  "extras.customlink": contentTypes,
  "extras.exporttemplate": {
    choice: "data_file_id data_source_id",
    pattern: contentTypes.pattern,
    number: `${contentTypes.number} data_synced`
  },
  "extras.imageattachment": { choice: "content_type_id" },
  "extras.journalentry": { choice: "assigned_object_type_id" },
  "extras.objectchange": { choice: "changed_object_type_id" },
  "extras.savedfilter": { alone: "usable", ...contentTypes },
  "extras.tag": { alone: "content_type_id" },
  "extras.webhook": { alone: "type_job_end type_job_start", text: "secret", ...contentTypes },
  "ipam.l2vpntermination": { choice: "assigned_object_type_id" },
  "tenancy.contactassignment": { choice: "content_type_id" },
  "users.token": { text: "key" },
  "wireless.wirelesslink": { alone: `${ordered("interface_a_id")} ${ordered("interface_b_id")}` }
}

/**
 * References that clients name in queries as they do in bodies, and that NetBox 3.5 ignores there. Rackwire reads the
 * value as an id or a key, and one that names nothing finds nothing; it is never refused.
 */
const ignoredByNetBox: Readonly<Record<string, string>> = {
  "circuits.circuit": "provider_account termination_a termination_a_id termination_z termination_z_id",
  "circuits.circuittermination": "cable cable_id circuit provider_network",
  "circuits.provider": "asns asns_id",
  "dcim.cable": "a_terminations a_terminations_id b_terminations b_terminations_id",
  "dcim.cabletermination": "cable_id",
  "dcim.consoleport": "cable cable_id module",
  "dcim.consoleporttemplate": templateTypes,
  "dcim.consoleserverport": "cable cable_id module",
  "dcim.consoleserverporttemplate": templateTypes,
  "dcim.device":
    "cluster config_template device_role device_role_id location primary_ip4 primary_ip6 rack virtual_chassis",
  "dcim.devicebay": "installed_device installed_device_id",
  "dcim.devicebaytemplate": "device_type device_type_id",
  "dcim.devicerole": "config_template",
  "dcim.frontport": "cable cable_id module rear_port rear_port_id",
  "dcim.frontporttemplate": `${templateTypes} rear_port rear_port_id`,
  "dcim.interface":
    "bridge cable cable_id lag module parent tagged_vlans tagged_vlans_id untagged_vlan untagged_vlan_id vdcs vdcs_id wireless_lans wireless_lans_id wireless_link wireless_link_id",
  "dcim.interfacetemplate": `${templateTypes} bridge`,
  "dcim.inventoryitem": "parent",
  "dcim.inventoryitemtemplate": "device_type device_type_id parent",
  "dcim.module": "device module_bay",
  "dcim.modulebaytemplate": "device_type device_type_id",
  "dcim.platform": "config_template",
  "dcim.powerfeed": "cable cable_id power_panel rack",
  "dcim.poweroutlet": "cable cable_id module power_port power_port_id",
  "dcim.poweroutlettemplate": `${templateTypes} power_port power_port_id`,
  "dcim.powerpanel": "location",
  "dcim.powerport": "cable cable_id module",
  "dcim.powerporttemplate": templateTypes,
  "dcim.rackreservation": "rack",
  "dcim.rearport": "cable cable_id module",
  "dcim.rearporttemplate": templateTypes,
  "dcim.site": "asns asns_id",
  "dcim.virtualdevicecontext": "primary_ip4 primary_ip4_id primary_ip6 primary_ip6_id",
  "extras.configcontext":
    "cluster_groups cluster_groups_id cluster_types cluster_types_id clusters clusters_id device_types device_types_id locations locations_id platforms platforms_id regions regions_id roles roles_id site_groups site_groups_id sites sites_id tenant_groups tenant_groups_id tenants tenants_id",
  "extras.webhook": "scope_user scope_user_id source source_id",
  "ipam.fhrpgroupassignment": "group",
  "ipam.ipaddress": "nat_inside nat_inside_id",
  "ipam.l2vpn": "export_targets export_targets_id import_targets import_targets_id",
  "ipam.prefix": "vlan",
  "ipam.service": "ipaddresses ipaddresses_id",
  "ipam.vrf": "export_targets export_targets_id import_targets import_targets_id",
  "tenancy.contactassignment": "contact",
  "users.objectpermission": "groups groups_id users users_id",
  "users.user": "groups groups_id",
  "virtualization.virtualmachine": "primary_ip4 primary_ip4_id primary_ip6 primary_ip6_id",
  "virtualization.vminterface": "bridge parent tagged_vlans tagged_vlans_id untagged_vlan untagged_vlan_id",
  "wireless.wirelesslan": "vlan",
  "wireless.wirelesslink": "interface_a interface_b"
}

export const isIgnoredByNetBox = ({ id }: ObjectType, name: string): boolean =>
  /^tags(_id)?$/.test(name) || (ignoredByNetBox[id]?.split(" ").includes(name) ?? false)

/** The names of NetBox's filters that a type does not have, lookups included. */
export const unsupportedNames = perType(
  ({ id }: ObjectType): ReadonlySet<string> =>
    new Set(
      Object.entries(unsupported[id] ?? {}).flatMap(([kind, names]) =>
        names.split(" ").flatMap((name) => [name, ...lookups[kind as Kind].map((lookup) => `${name}__${lookup}`)])
      )
    )
)
