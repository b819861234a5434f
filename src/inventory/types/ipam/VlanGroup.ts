import { broken, countOf, defineObjectType, generic, integer, labels, slug, text } from "../../ObjectType.ts"

const vlanCount = countOf("ipam.vlan", "group")

export default defineObjectType({
  app: "ipam",
  name: "vlangroup",
  plural: "vlan-groups",
  identity: ["slug"],
  label: "VLAN group",
  fields: {
    name: text({ max: 100 }),
    slug: slug(),
    ...generic("scope", {
      types: [
        "dcim.region",
        "dcim.sitegroup",
        "dcim.site",
        "dcim.location",
        "dcim.rack",
        "virtualization.clustergroup",
        "virtualization.cluster"
      ],
      optional: true,
      onDelete: "cascade"
    }),
    min_vid: integer({ min: 1, max: 4094, default: 1 }),
    max_vid: integer({ min: 1, max: 4094, default: 4094 }),
    description: text({ max: 200, optional: true }),
    ...labels()
  },
  panels: [
    { kind: "spaceMap", of: "vlans" },
    {
      kind: "children",
      title: "VLANs",
      type: "ipam.vlan",
      field: "group",
      shows: ["status", "vid", "role", "site", "description"]
    }
  ],
  unique: [{ fields: ["scope_type", "scope_id", "name"] }, { fields: ["scope_type", "scope_id", "slug"] }],
  counts: {
    vlan_count: vlanCount,
    /** Percent of its numbers that are taken, as a text. */
    utilization: (...args) => `to_char(100.0 * ${vlanCount(...args)} / (t.max_vid - t.min_vid + 1), 'FM990.09')`
  },
  paths: {
    region: ["scope:dcim.region/id"],
    sitegroup: ["scope:dcim.sitegroup/id"],
    site: ["scope:dcim.site/id"],
    location: ["scope:dcim.location/id"],
    rack: ["scope:dcim.rack/id"],
    clustergroup: ["scope:virtualization.clustergroup/id"],
    cluster: ["scope:virtualization.cluster/id"]
  },
  countShapes: { utilization: { kind: "text" } },
  search: ["name", "slug", "description"],
  ordering: ["name"],
  brief: ["name", "slug", "vlan_count"],
  *check(row) {
    if (Number(row.max_vid) >= Number(row.min_vid)) return
    const message = "Maximum child VID must be greater than or equal to minimum child VID"
    yield broken(["min_vid", "max_vid"], { max_vid: [message] })
  }
})
