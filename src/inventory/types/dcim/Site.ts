import {
  choice,
  contactPaths,
  countOf,
  decimal,
  defineObjectType,
  labels,
  named,
  ref,
  refs,
  text,
  timeZone
} from "../../ObjectType.ts"

export default defineObjectType({
  app: "dcim",
  name: "site",
  plural: "sites",
  menu: "Organization",
  fieldGroup: "Place",
  groups: {
    Place: ["facility", "time_zone", "physical_address", "shipping_address", "latitude", "longitude"]
  },
  fields: {
    ...named(),
    status: choice(
      {
        planned: "Planned",
        staging: "Staging",
        active: "Active",
        decommissioning: "Decommissioning",
        retired: "Retired"
      },
      { default: "active" }
    ),
    region: ref("dcim.region", { optional: true, onDelete: "set null" }),
    group: ref("dcim.sitegroup", { optional: true, onDelete: "set null" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    facility: text({ max: 50, optional: true, help: "The data center, as its operator calls it." }),
    time_zone: timeZone(),
    description: text({ max: 200, optional: true }),
    physical_address: text({ max: 200, optional: true }),
    shipping_address: text({ max: 200, optional: true }),
    latitude: decimal({ digits: 8, places: 6, min: -90, max: 90, optional: true, placeholder: "52.520008" }),
    longitude: decimal({ digits: 9, places: 6, min: -180, max: 180, optional: true, placeholder: "13.404954" }),
    comments: text({ optional: true }),
    asns: refs("ipam.asn"),
    ...labels()
  },
  counts: {
    // Circuits have no terminations here, so none ends at a site.
    circuit_count: () => "0",
    device_count: countOf("dcim.device", "site"),
    prefix_count: countOf("ipam.prefix", "site"),
    rack_count: countOf("dcim.rack", "site"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "site"),
    vlan_count: countOf("ipam.vlan", "site")
  },
  paths: { ...contactPaths, asn: "asns/asn", asn_id: "asns/id" },
  panels: [{ kind: "images", of: "object" }],
  search: ["name", "facility", "description", "physical_address", "shipping_address", "comments"],
  ordering: ["name"],
  brief: ["name", "slug"]
})
