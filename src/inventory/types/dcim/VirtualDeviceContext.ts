import { choice, countOf, defineObjectType, integer, labels, primaryAddresses, ref, text } from "../../ObjectType.ts"

const chassisOf = (device: string) => `(select virtual_chassis_id from dcim_device where id = ${device})`

const primary = primaryAddresses({
  type: "dcim.virtualdevicecontext",
  interfaces: "dcim.interface",
  owns: "f.device_id = j.device_id",
  by: ["device"],
  called: "virtual device context",
  otherFamily: (address, family) => `${address} is not an IPv${family} address.`,
  unassigned: () => "Primary IP address must belong to an interface on the assigned device.",
  shares: `not f.mgmt_only and ${chassisOf("j.device_id")} = ${chassisOf("f.device_id")}`,
  moves: [
    { type: "dcim.interface", field: "mgmt_only", when: "new.mgmt_only", reaches: (on) => on("f.id = new.id") },
    {
      type: "dcim.device",
      field: "virtual_chassis",
      reaches: (on) => `j.device_id = new.id or ${on("f.device_id = new.id")}`
    }
  ]
})

export default defineObjectType({
  app: "dcim",
  name: "virtualdevicecontext",
  plural: "virtual-device-contexts",
  label: "virtual device context",
  fields: {
    name: text({ max: 64 }),
    device: ref("dcim.device", { onDelete: "protect" }),
    identifier: integer({ min: 0, max: 32_767, optional: true, help: "The number that the device calls it by." }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    ...primary.fields,
    status: choice({ active: "Active", planned: "Planned", offline: "Offline" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["device", "identifier"] }, { fields: ["device", "name"] }],
  derived: primary.derived,
  counts: { interface_count: countOf("dcim.interface", "vdcs") },
  asked: primary.asked,
  search: ["name", "identifier", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "identifier", "device"],
  looksAt: primary.looksAt,
  bonds: primary.bonds
})
