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

const contact = "contact contact_group contact_role"
const contentTypes = { pattern: "content_types", number: "content_type_id" }
const templates =
  "console_ports console_server_ports device_bays module_bays pass_through_ports power_outlets power_ports"

/** By object type and kind of filter; a lookup that Rackwire has is not refused. */
const unsupported: Readonly<Record<string, Partial<Record<Kind, string>>>> = {
  "circuits.circuit": {
    choice: `${contact} provider_account_id provider_network_id region region_id site site_group site_group_id site_id`
  },
  "circuits.provider": { choice: `asn_id ${contact} region region_id site site_group site_group_id site_id` },
  "dcim.cable": {
    alone: "device device_id location location_id rack rack_id site site_id termination_a_id termination_b_id",
    choice: "termination_a_type termination_b_type"
  },
  "dcim.device": {
    alone: `${templates} has_primary_ip interfaces is_full_depth local_context_data virtual_chassis_member`,
    choice: `config_template_id ${contact} model parent_device_id`
  },
  "dcim.devicerole": { choice: "config_template_id" },
  "dcim.devicetype": { alone: `${templates} has_front_image has_rear_image interfaces inventory_items` },
  "dcim.interface": {
    alone: "cabled connected kind occupied vlan vlan_id",
    choice: "cable_end l2vpn l2vpn_id module_id rf_channel rf_role vdc vdc_id vdc_identifier",
    number: "rf_channel_frequency rf_channel_width"
  },
  "dcim.inventoryitem": { choice: "role role_id" },
  "dcim.location": { choice: contact },
  "dcim.manufacturer": { choice: contact },
  "dcim.platform": { choice: "config_template_id" },
  "dcim.powerfeed": { alone: "cabled connected occupied", choice: "cable_end" },
  "dcim.powerpanel": { choice: contact },
  "dcim.rack": { choice: contact },
  "dcim.region": { choice: contact },
  "dcim.site": { choice: contact },
  "dcim.sitegroup": { choice: contact },
  "extras.customfield": contentTypes,
  "extras.journalentry": { alone: "created_after created_before", choice: "assigned_object_type_id" },
  "extras.objectchange": { alone: "time_after time_before", choice: "changed_object_type_id user user_id" },
  "extras.savedfilter": { alone: "usable", ...contentTypes },
  "extras.tag": { alone: "content_type content_type_id" },
  "extras.webhook": { alone: "type_job_end type_job_start", text: "secret", ...contentTypes },
  "ipam.asn": { choice: "site site_id" },
  "ipam.ipaddress": {
    alone: "assigned assigned_to_interface present_in_vrf present_in_vrf_id",
    choice: "fhrpgroup_id"
  },
  "ipam.iprange": { alone: "contains mark_utilized" },
  "ipam.prefix": { alone: "present_in_vrf present_in_vrf_id", number: "children depth" },
  "ipam.routetarget": { choice: "exporting_vrf exporting_vrf_id importing_vrf importing_vrf_id" },
  "ipam.service": { alone: "port", choice: "ipaddress ipaddress_id" },
  "ipam.vlan": { alone: "available_on_device available_on_virtualmachine", choice: "l2vpn l2vpn_id" },
  "ipam.vlangroup": { alone: "cluster clustergroup location rack region site sitegroup" },
  "tenancy.contactassignment": { alone: "q", choice: "content_type_id" },
  "tenancy.tenant": { choice: contact },
  "users.objectpermission": { choice: "group group_id user user_id" },
  "users.token": { text: "key" },
  "users.user": { choice: "group group_id" },
  "virtualization.cluster": { choice: contact },
  "virtualization.clustergroup": { choice: contact },
  "virtualization.virtualmachine": {
    alone: "has_primary_ip local_context_data",
    choice: contact,
    pattern: "mac_address"
  },
  "virtualization.vminterface": { alone: "vlan vlan_id", choice: "l2vpn l2vpn_id" }
}

/** The names of NetBox's filters that a type does not have, lookups included. */
export const unsupportedNames = perType(
  ({ id }: ObjectType): ReadonlySet<string> =>
    new Set(
      Object.entries(unsupported[id] ?? {}).flatMap(([kind, names]) =>
        names.split(" ").flatMap((name) => [name, ...lookups[kind as Kind].map((lookup) => `${name}__${lookup}`)])
      )
    )
)
