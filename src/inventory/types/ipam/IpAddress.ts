import {
  address,
  broken,
  choice,
  defineObjectType,
  family,
  flagged,
  generic,
  labels,
  ref,
  text
} from "../../ObjectType.ts"
import type Vrf from "./Vrf.ts"
import { presentInVrf } from "./Prefix.ts"

/** Roles in which several interfaces may have one address. */
const shared = "('anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp')"

const enforced = "(select enforce_unique from ipam_vrf where id = j.vrf_id)"

export default defineObjectType({
  app: "ipam",
  name: "ipaddress",
  plural: "ip-addresses",
  identity: ["address", "vrf"],
  fieldGroup: "Addresses",
  label: "IP address",
  fields: {
    address: address(),
    vrf: ref("ipam.vrf", { optional: true, onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    status: choice(
      { active: "Active", reserved: "Reserved", deprecated: "Deprecated", dhcp: "DHCP", slaac: "SLAAC" },
      { default: "active" }
    ),
    role: choice(
      {
        loopback: "Loopback",
        secondary: "Secondary",
        anycast: "Anycast",
        vip: "VIP",
        vrrp: "VRRP",
        hsrp: "HSRP",
        glbp: "GLBP",
        carp: "CARP"
      },
      { optional: true }
    ),
    ...generic("assigned_object", {
      types: ["dcim.interface", "virtualization.vminterface", "ipam.fhrpgroup"],
      optional: true,
      onDelete: "cascade"
    }),
    nat_inside: ref("ipam.ipaddress", { optional: true, onDelete: "set null" }),
    dns_name: text({
      max: 255,
      lowered: true,
      optional: true,
      pattern: /^([0-9A-Za-z_-]+|\*)(\.[0-9A-Za-z_-]+)*\.?$/,
      refusal: "Only alphanumeric characters, asterisks, hyphens, periods, and underscores are allowed in DNS names"
    }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  indexes: [["assigned_object_type", "assigned_object_id"]],
  derived: { family: family("address") },
  pointedBy: { nat_outside: { type: "ipam.ipaddress", field: "nat_inside" } },
  paths: {
    interface: "assigned_object:dcim.interface/name",
    interface_id: "assigned_object:dcim.interface/id",
    device: ["assigned_object:dcim.interface/device"],
    vminterface: "assigned_object:virtualization.vminterface/name",
    vminterface_id: "assigned_object:virtualization.vminterface/id",
    fhrpgroup_id: "assigned_object:ipam.fhrpgroup/id",
    virtual_machine: ["assigned_object:virtualization.vminterface/virtual_machine"],
    ...presentInVrf
  },
  asked: {
    // As in NetBox, the master of a virtual chassis has the interfaces of its members too, except management interfaces.
    device_id: {
      of: "dcim.device",
      sql: (_, types, from, ids) => {
        const [devices, chassis] = [from(types.get("dcim.device")!), from(types.get("dcim.virtualchassis")!)]
        const members = `select m.id from ${chassis} c join ${devices} m on m.virtual_chassis_id = c.id where c.master_id = any (${ids})`
        return `t.assigned_object_type = 'dcim.interface' and t.assigned_object_id = any (array(
          select i.id from ${from(types.get("dcim.interface")!)} i where i.device_id = any (${ids})
            or not i.mgmt_only and i.device_id = any (array(${members}))))`
      }
    },
    assigned: flagged("t.assigned_object_id is not null"),
    assigned_to_interface: flagged(
      "coalesce(t.assigned_object_type in ('dcim.interface', 'virtualization.vminterface'), false)"
    )
  },
  search: ["address", "dns_name", "description", "comments"],
  ordering: ["address"],
  brief: ["family", "address"],
  display: (row) => String(row.address),
  *check(row) {
    if (row.status !== "slaac" || String(row.address).includes(":")) return
    yield broken(["status", "address"], { status: ["Only IPv6 addresses can be assigned SLAAC status"] })
  },
  looksAt: ["vrf"],
  rivals: [
    {
      fields: ["address", "vrf", "role"],
      where: `(host(t.address)::inet) = (host(j.address)::inet) and t.vrf_id = j.vrf_id and ${enforced}
        and not (coalesce(t.role in ${shared}, false) and coalesce(j.role in ${shared}, false))`,
      lock: `case when ${enforced} then j.vrf_id || ' ' || host(j.address) end`,
      errors: (row, other, find) => {
        const vrf = find<typeof Vrf>("ipam.vrf", row.vrf)
        return { address: [`Duplicate IP address found in VRF ${String(vrf?.name)}: ${String(other.address)}`] }
      }
    }
  ]
})
