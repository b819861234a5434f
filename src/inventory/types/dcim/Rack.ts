import {
  broken,
  choice,
  contactPaths,
  countOf,
  defineObjectType,
  flag,
  integer,
  labels,
  ref,
  text
} from "../../ObjectType.ts"
import { weightFields, weightRules } from "../../shared/Weight.ts"
import type Location from "./Location.ts"
import type Site from "./Site.ts"

export default defineObjectType({
  app: "dcim",
  name: "rack",
  plural: "racks",
  identity: ["name", "site", "location"],
  menu: "Organization",
  fieldGroup: "Place",
  groups: {
    Dimensions: [
      ...["type", "width", "u_height", "desc_units", "outer_width", "outer_depth", "outer_unit", "mounting_depth"],
      ...["weight", "max_weight", "weight_unit"]
    ]
  },
  fields: {
    name: text({ max: 100 }),
    facility_id: text({ max: 50, nullable: true }),
    site: ref("dcim.site", { onDelete: "protect" }),
    location: ref("dcim.location", { optional: true, onDelete: "set null" }),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    status: choice(
      {
        reserved: "Reserved",
        available: "Available",
        planned: "Planned",
        active: "Active",
        deprecated: "Deprecated"
      },
      { default: "active" }
    ),
    role: ref("dcim.rackrole", { optional: true, onDelete: "protect" }),
    serial: text({ max: 50, optional: true }),
    asset_tag: text({ max: 50, nullable: true, unique: true }),
    type: choice(
      {
        "2-post-frame": "2-post frame",
        "4-post-frame": "4-post frame",
        "4-post-cabinet": "4-post cabinet",
        "wall-frame": "Wall-mounted frame",
        "wall-frame-vertical": "Wall-mounted frame (vertical)",
        "wall-cabinet": "Wall-mounted cabinet",
        "wall-cabinet-vertical": "Wall-mounted cabinet (vertical)"
      },
      { optional: true }
    ),
    width: choice(
      { "10": "10 inches", "19": "19 inches", "21": "21 inches", "23": "23 inches" },
      { default: "19", numeric: true }
    ),
    u_height: integer({ min: 1, max: 100, default: 42 }),
    ...weightFields(),
    max_weight: integer({ min: 0, max: 2_147_483_647, optional: true }),
    desc_units: flag({ default: false, help: "Units are numbered from top to bottom." }),
    outer_width: integer({ min: 0, max: 32_767, optional: true }),
    outer_depth: integer({ min: 0, max: 32_767, optional: true }),
    outer_unit: choice({ mm: "Millimeters", in: "Inches" }, { optional: true }),
    mounting_depth: integer({ min: 0, max: 32_767, optional: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  panels: [{ kind: "elevation" }, { kind: "images", of: "object" }],
  units: {
    ...{ u_height: "U", mounting_depth: "mm", weight: { in: "weight_unit" }, max_weight: { in: "weight_unit" } },
    ...{ outer_width: { in: "outer_unit" }, outer_depth: { in: "outer_unit" } }
  },
  unique: [{ fields: ["location", "name"] }, { fields: ["location", "facility_id"] }],
  counts: {
    device_count: countOf("dcim.device", "rack"),
    powerfeed_count: countOf("dcim.powerfeed", "rack")
  },
  functions: [
    // Devices have the site and location of their rack.
    `create or replace function rackwire_move_rack() returns trigger language plpgsql as $$
     begin
       update dcim_device set site_id = new.site_id, location_id = new.location_id
         where rack_id = new.id and (site_id, location_id) is distinct from (new.site_id, new.location_id);
       return null;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_rack_move",
      sql: `after update of site_id, location_id on dcim_rack for each row
        when ((old.site_id, old.location_id) is distinct from (new.site_id, new.location_id))
        execute function rackwire_move_rack()`
    }
  ],
  paths: { ...contactPaths, serial: "serial__ie" },
  search: ["name", "facility_id", "serial", "asset_tag", "description", "comments"],
  ordering: ["site", "location", "name"],
  brief: ["name", "device_count"],
  display: (row) => (row.facility_id ? `${row.name} (${row.facility_id})` : String(row.name)),
  looksAt: ["site", "location"],
  *check(row, find) {
    const location = find<typeof Location>("dcim.location", row.location)
    if (location !== undefined && location.site !== row.site) {
      const site = find<typeof Site>("dcim.site", row.site)
      const message = `Assigned location must belong to parent site (${String(site?.name)}).`
      yield broken(["location", "site"], { __all__: [message] })
    }
    if ((row.outer_width !== null || row.outer_depth !== null) && row.outer_unit === null) {
      const message = "Must specify a unit when setting an outer width/depth"
      yield broken(["outer_width", "outer_depth", "outer_unit"], { __all__: [message] })
    }
    yield* weightRules(row)
    if (row.max_weight !== null && row.weight_unit === null) {
      yield broken(["max_weight", "weight_unit"], { __all__: ["Must specify a unit when setting a maximum weight"] })
    }
  }
})
