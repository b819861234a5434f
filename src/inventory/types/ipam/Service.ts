import { broken, choice, defineObjectType, integers, labels, ref, refs, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "ipam",
  name: "service",
  plural: "services",
  identity: ["name", "device", "virtual_machine"],
  fields: {
    device: ref("dcim.device", { optional: true, onDelete: "cascade" }),
    virtual_machine: ref("virtualization.virtualmachine", { optional: true, onDelete: "cascade" }),
    name: text({ max: 100 }),
    ports: integers({ min: 1, max: 65_535 }),
    protocol: choice({ tcp: "TCP", udp: "UDP", sctp: "SCTP" }, { bare: "brief" }),
    ipaddresses: refs("ipam.ipaddress"),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  paths: { port: "ports", ipaddress: "ipaddresses/address", ipaddress_id: "ipaddresses_id" },
  search: ["name", "description", "comments"],
  ordering: ["protocol", "ports"],
  brief: ["name", "protocol", "ports"],
  display: (row) =>
    `${row.name} (${String(row.protocol).toUpperCase()}/${(row.ports as ReadonlyArray<number>).join(", ")})`,
  *check(row) {
    const fields = ["device", "virtual_machine"]
    if (row.device !== null && row.virtual_machine !== null) {
      const message = "A service cannot be associated with both a device and a virtual machine."
      yield broken(fields, { __all__: [message] })
    }
    if (row.device === null && row.virtual_machine === null) {
      const message = "A service must be associated with either a device or a virtual machine."
      yield broken(fields, { __all__: [message] })
    }
  }
})
