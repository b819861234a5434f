import { defineObjectType, flag, integer, labels, mac, ref, text } from "../../ObjectType.ts"
import { vlanFields, vlanFunction, vlanPaths, vlanTrigger } from "../../shared/Vlans.ts"
import { fhrpCount } from "../../shared/Fhrp.ts"
import { kinship } from "../../shared/Kinship.ts"
import { l2vpnPaths, l2vpnPointedBy } from "../../shared/L2vpn.ts"

const fields = {
  virtual_machine: ref("virtualization.virtualmachine", { onDelete: "cascade" }),
  name: text({ max: 64 }),
  enabled: flag({ default: true }),
  parent: ref("virtualization.vminterface", { optional: true, onDelete: "protect" }),
  bridge: ref("virtualization.vminterface", { optional: true, onDelete: "set null" }),
  mtu: integer({ min: 1, max: 65_536, optional: true }),
  mac_address: mac({ optional: true }),
  description: text({ max: 200, optional: true }),
  ...vlanFields(),
  vrf: ref("ipam.vrf", { optional: true, onDelete: "set null" }),
  ...labels()
}

const kin = kinship({
  type: "virtualization.vminterface",
  names: ["parent", "bridge"],
  owner: "virtual_machine",
  machine: "virtualization.virtualmachine",
  called: "virtual machine",
  movable: true
})

export default defineObjectType({
  app: "virtualization",
  name: "vminterface",
  plural: "interfaces",
  label: "interface",
  fields,
  panels: [{ kind: "addresses" }],
  units: { mtu: "bytes" },
  unique: [{ fields: ["virtual_machine", "name"] }],
  pointedBy: l2vpnPointedBy("virtualization.vminterface"),
  counts: {
    count_fhrp_groups: fhrpCount("virtualization.vminterface"),
    count_ipaddresses: (_, types, from) =>
      `(select count(*) from ${from(types.get("ipam.ipaddress")!)} c where c.assigned_object_type = 'virtualization.vminterface' and c.assigned_object_id = t.id)`
  },
  paths: { ...vlanPaths, ...l2vpnPaths },
  search: ["name", "description"],
  ordering: ["virtual_machine", "name"],
  brief: ["virtual_machine", "name"],
  looksAt: kin.looksAt,
  check: kin.rules,
  bonds: kin.bonds,
  functions: [vlanFunction],
  triggers: [vlanTrigger("virtualization_vminterface")]
})
