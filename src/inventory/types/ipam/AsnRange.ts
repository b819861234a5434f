import { bounded, broken, defineObjectType, integer, labels, named, ref, text } from "../../ObjectType.ts"

const asnMax = 4_294_967_295

/** AS numbers to take from: `available-asns/` (http/objects/Allocation.ts). */
export default defineObjectType({
  app: "ipam",
  name: "asnrange",
  plural: "asn-ranges",
  label: "ASN range",
  fields: {
    ...named(),
    rir: ref("ipam.rir", { onDelete: "protect" }),
    start: integer({ min: 1, max: asnMax }),
    end: integer({ min: 1, max: asnMax }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  counts: {
    asn_count: (_, types, from) => {
      const asns = types.get("ipam.asn")!
      return bounded(asns, from(asns), ["start", "end_value"], (start, end) => `c.asn between ${start} and ${end}`)
    }
  },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name"],
  display: ({ name, start, end }) => `${name} (${start}-${end})`,
  *check({ start, end }) {
    if (start < end) return
    const message = `Starting ASN (${start}) must be lower than ending ASN (${end}).`
    yield broken(["start", "end"], { __all__: [message] })
  }
})
