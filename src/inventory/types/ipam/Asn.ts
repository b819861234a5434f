import { countOf, defineObjectType, integer, labels, ref, text } from "../../ObjectType.ts"

/** The number with its halves, where it has two: `AS4200000000 (64086.59904)`. */
const asdot = (asn: number): string =>
  asn > 0xffff ? `AS${asn} (${Math.floor(asn / 0x10000)}.${asn % 0x10000})` : `AS${asn}`

export default defineObjectType({
  app: "ipam",
  name: "asn",
  plural: "asns",
  label: "ASN",
  fields: {
    asn: integer({ min: 1, max: 4_294_967_295, unique: true }),
    rir: ref("ipam.rir", { onDelete: "protect" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  counts: { site_count: countOf("dcim.site", "asns"), provider_count: countOf("circuits.provider", "asns") },
  key: "asn",
  paths: { site: "<dcim.site.asns/slug", site_id: "<dcim.site.asns/id" },
  search: ["description", "comments"],
  ordering: ["asn"],
  brief: ["asn"],
  display: (row) => asdot(Number(row.asn))
})
