import { address, broken, choice, defineObjectType, family, flag, labels, ref, text } from "../../ObjectType.ts"
import { type Network, parseNetwork } from "../../field/Network.ts"

/** Most addresses of a range. */
const sizeMax = 2n ** 32n - 1n

const ends = (row: Readonly<Record<string, unknown>>): readonly [start: Network, end: Network] => [
  parseNetwork(String(row.start_address))!,
  parseNetwork(String(row.end_address))!
]

const sizeOf = ([start, end]: readonly [start: Network, end: Network]): bigint => end.bits - start.bits + 1n

export default defineObjectType({
  app: "ipam",
  name: "iprange",
  plural: "ip-ranges",
  identity: ["start_address", "end_address", "vrf"],
  label: "IP range",
  fields: {
    start_address: address(),
    end_address: address(),
    vrf: ref("ipam.vrf", { optional: true, onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    status: choice({ active: "Active", reserved: "Reserved", deprecated: "Deprecated" }, { default: "active" }),
    role: ref("ipam.role", { optional: true, onDelete: "set null" }),
    mark_utilized: flag({ default: false, help: "Whether to treat it as full: nothing is allocated from it." }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  derived: {
    family: family("start_address"),
    size: { shape: { kind: "integer" }, of: (row) => Number(sizeOf(ends(row))) }
  },
  asked: {
    parent: {
      of: "address",
      sql: (_, __, ___, value) => `host(t.start_address)::inet <<= ${value} and host(t.end_address)::inet <<= ${value}`
    },
    contains: {
      of: "address",
      sql: (_, __, ___, value) => `host(t.start_address)::inet <= host(${value})::inet
        and host(t.end_address)::inet >= host(${value})::inet`
    }
  },
  search: ["start_address", "end_address", "description", "comments"],
  ordering: ["start_address"],
  brief: ["family", "start_address", "end_address"],
  display: (row) => `${String(row.start_address).split("/")[0]}-${row.end_address}`,
  *check(row) {
    const [start, end] = ends(row)
    const fields = ["start_address", "end_address"]
    if (start.family !== end.family) {
      yield broken(fields, { end_address: ["Starting and ending IP address versions must match"] })
    }
    if (start.length !== end.length) {
      yield broken(fields, { end_address: ["Starting and ending IP address masks must match"] })
    }
    if (end.bits <= start.bits) {
      const message = `Ending address must be greater than the starting address (${row.start_address})`
      yield broken(fields, { end_address: [message] })
    }
    if (sizeOf([start, end]) > sizeMax) {
      yield broken(fields, { __all__: [`Defined range exceeds maximum supported size (${sizeMax})`] })
    }
  },
  rivals: [
    {
      fields: ["start_address", "end_address", "vrf"],
      where: `t.vrf_id is not distinct from j.vrf_id and family(t.start_address) = family(j.start_address)
        and host(t.start_address)::inet <= host(j.end_address)::inet
        and host(t.end_address)::inet >= host(j.start_address)::inet`,
      lock: "coalesce(j.vrf_id, 0)::text",
      errors: (_, other) => ({
        __all__: [
          `Defined addresses overlap with range ${String(other.start_address).split("/")[0]}-${other.end_address}`
        ]
      })
    }
  ]
})
