import type { Errors, Row } from "../../Field.ts"
import { type Find, choice, decimal, defineObjectType, integer, json, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "virtualization",
  name: "virtualmachine",
  plural: "virtual-machines",
  label: "virtual machine",
  fields: {
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
    primary_ip4: ref("ipam.ipaddress", { optional: true, onDelete: "set null" }),
    primary_ip6: ref("ipam.ipaddress", { optional: true, onDelete: "set null" }),
    vcpus: decimal({ digits: 6, places: 2, min: 0.01, optional: true }),
    memory: integer({ min: 0, max: 2_147_483_647, optional: true }),
    disk: integer({ min: 0, max: 2_147_483_647, optional: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    local_context_data: json(),
    ...labels()
  },
  unique: [
    { fields: ["name", "cluster", "tenant"], ignoreCase: ["name"] },
    {
      fields: ["name", "cluster"],
      ignoreCase: ["name"],
      whereNull: "tenant",
      message: "Virtual machine name must be unique per cluster."
    }
  ],
  derived: {
    primary_ip: (row, view) => {
      const id = row["primary_ip6"] ?? row["primary_ip4"]
      return typeof id === "number" ? view.nested("ipam.ipaddress", id) : null
    }
  },
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name"],
  looksAt: [
    "site",
    "cluster",
    "device",
    "role",
    "primary_ip4.assigned_object_type",
    "primary_ip6.assigned_object_type"
  ],
  check: (row, find) => ({ ...placeErrors(row, find), ...addressErrors(row, find) })
})

const placeErrors = (row: Row, find: Find): Errors => {
  if (row["site"] === null && row["cluster"] === null) {
    return { cluster: ["A virtual machine must be assigned to a site and/or cluster."] }
  }
  const cluster = find("virtualization.cluster", Number(row["cluster"]))
  if (row["site"] !== null && typeof cluster?.["site"] === "number" && cluster["site"] !== row["site"]) {
    const site = find("dcim.site", Number(row["site"]))?.["name"]
    return { cluster: [`The selected cluster (${cluster["name"]}) is not assigned to this site (${site}).`] }
  }
  if (row["device"] !== null) {
    if (cluster === undefined) return { device: ["Must specify a cluster when assigning a host device."] }
    const device = find("dcim.device", Number(row["device"]))
    if (device?.["cluster"] !== cluster.id) {
      return {
        device: [`The selected device (${device?.["name"]}) is not assigned to this cluster (${cluster["name"]}).`]
      }
    }
  }
  const role = find("dcim.devicerole", Number(row["role"]))
  return role?.["vm_role"] === false ? { role: ["This role is not for virtual machines."] } : {}
}

const addressErrors = (row: Row, find: Find): Errors => {
  for (const [name, family] of [["primary_ip4", 4] as const, ["primary_ip6", 6] as const]) {
    const address = find("ipam.ipaddress", Number(row[name]))
    if (address === undefined) continue
    const shown = String(address["address"])
    if (shown.includes(":") !== (family === 6)) return { [name]: [`Must be an IPv${family} address. (${shown})`] }
    const isInterface = address["assigned_object_type"] === "virtualization.vminterface"
    const holder = isInterface ? find("virtualization.vminterface", Number(address["assigned_object_id"])) : undefined
    if (holder === undefined || holder["virtual_machine"] !== row.id) {
      return { [name]: [`The specified IP address (${shown}) is not assigned to this VM.`] }
    }
  }
  return {}
}
