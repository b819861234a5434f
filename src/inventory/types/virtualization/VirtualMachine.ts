import type { RowOf } from "../../Field.ts"
import {
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
import { configContext } from "../../context/ConfigContextValue.ts"
import { localErrors } from "../../context/Limits.ts"
import type Cluster from "./Cluster.ts"
import type Device from "../dcim/Device.ts"
import type DeviceRole from "../dcim/DeviceRole.ts"
import type Site from "../dcim/Site.ts"

const primary = primaryAddresses({
  type: "virtualization.virtualmachine",
  interfaces: "virtualization.vminterface",
  owns: "f.virtual_machine_id = j.id",
  called: "VM",
  otherFamily: (address, family) => `Must be an IPv${family} address. (${address})`,
  moves: [{ type: "virtualization.vminterface", field: "virtual_machine", reaches: (on) => on("f.id = new.id") }]
})

const fields = {
  name: text({ max: 64 }),
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
  site: ref("dcim.site", { optional: true, onDelete: "protect" }),
  cluster: ref("virtualization.cluster", { optional: true, onDelete: "protect" }),
  device: ref("dcim.device", { optional: true, onDelete: "protect" }),
  role: ref("dcim.devicerole", { optional: true, onDelete: "protect" }),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  platform: ref("dcim.platform", { optional: true, onDelete: "set null" }),
  ...primary.fields,
  vcpus: decimal({ digits: 6, places: 2, min: 0.01, optional: true }),
  memory: integer({ min: 0, max: 2_147_483_647, optional: true }),
  disk: integer({ min: 0, max: 2_147_483_647, optional: true }),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  local_context_data: json({ grammar: localErrors }),
  ...labels()
}

type VirtualMachine = RowOf<{ readonly fields: typeof fields }>

export default defineObjectType({
  app: "virtualization",
  name: "virtualmachine",
  plural: "virtual-machines",
  units: { memory: "MB", disk: "GB" },
  label: "virtual machine",
  fields,
  panels: [
    { kind: "webhooks" },
    { kind: "ports", field: "virtual_machine", types: ["virtualization.vminterface"] },
    {
      ...{ kind: "children", title: "Services", type: "ipam.service", field: "virtual_machine" },
      shows: ["protocol", "ports", "ipaddresses"]
    },
    { kind: "configContext" }
  ],
  unique: [
    { fields: ["name", "cluster", "tenant"], ignoreCase: ["name"] },
    {
      fields: ["name", "cluster"],
      ignoreCase: ["name"],
      whereNull: "tenant",
      message: "Virtual machine name must be unique per cluster."
    }
  ],
  functions: [
    `create or replace function rackwire_place_virtual_machine() returns trigger language plpgsql as $$
     begin
       if new.site_id is null and new.cluster_id is not null then
         new.site_id := (select site_id from virtualization_cluster where id = new.cluster_id);
       end if;
       return new;
     end $$`
  ],
  triggers: [
    {
      name: "virtualization_virtualmachine_place",
      sql: `before insert or update of site_id, cluster_id on virtualization_virtualmachine for each row
        execute function rackwire_place_virtual_machine()`
    }
  ],
  derived: { ...primary.derived, config_context: configContext },
  paths: { ...contactPaths, name: "name__ie", mac_address: "<virtualization.vminterface.virtual_machine/mac_address" },
  asked: { ...primary.asked, local_context_data: flagged("t.local_context_data is not null") },
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name"],
  looksAt: ["site", "cluster", "device", "role", ...primary.looksAt],
  check: (row, find) => placeRules(row, find),
  bonds: primary.bonds
})

function* placeRules(row: VirtualMachine, find: Find): Iterable<RuleViolation> {
  if (row.site === null && row.cluster === null) {
    const message = "A virtual machine must be assigned to a site and/or cluster."
    yield broken(["site", "cluster"], { cluster: [message] })
  }
  const cluster = find<typeof Cluster>("virtualization.cluster", row.cluster)
  if (row.site !== null && typeof cluster?.site === "number" && cluster.site !== row.site) {
    const site = find<typeof Site>("dcim.site", row.site)?.name
    const message = `The selected cluster (${cluster.name}) is not assigned to this site (${site}).`
    yield broken(["site", "cluster"], { cluster: [message] })
  }
  if (row.device !== null) {
    if (cluster === undefined) {
      yield broken(["device", "cluster"], { device: ["Must specify a cluster when assigning a host device."] })
    }
    const device = find<typeof Device>("dcim.device", row.device)
    if (cluster !== undefined && device?.cluster !== cluster.id) {
      const message = `The selected device (${device?.name}) is not assigned to this cluster (${cluster.name}).`
      yield broken(["device", "cluster"], { device: [message] })
    }
  }
  const role = find<typeof DeviceRole>("dcim.devicerole", row.role)
  if (role?.vm_role === false) yield broken(["role"], { role: ["This role is not for virtual machines."] })
}
