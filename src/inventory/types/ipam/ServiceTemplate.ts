import { choice, defineObjectType, integers, labels, text } from "../../ObjectType.ts"

/** The usual name, protocol and ports of a service. */
export default defineObjectType({
  app: "ipam",
  name: "servicetemplate",
  plural: "service-templates",
  label: "service template",
  fields: {
    name: text({ max: 100, unique: true }),
    ports: integers({ min: 1, max: 65_535 }),
    protocol: choice({ tcp: "TCP", udp: "UDP", sctp: "SCTP" }, { bare: "brief" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  paths: { port: "ports" },
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "protocol", "ports"],
  display: (row) => `${row.name} (${row.protocol.toUpperCase()}/${row.ports.join(", ")})`
})
