import {
  broken,
  choice,
  contactPaths,
  defineObjectType,
  labels,
  ref,
  slug,
  text,
  treeCount,
  treeDepth
} from "../../ObjectType.ts"
import type Site from "./Site.ts"

const fields = {
  name: text({ max: 100 }),
  slug: slug(),
  site: ref("dcim.site", { onDelete: "cascade" }),
  parent: ref("dcim.location", { optional: true, onDelete: "cascade", wholeSubtree: true }),
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
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  description: text({ max: 200, optional: true }),
  ...labels()
}

export default defineObjectType({
  app: "dcim",
  name: "location",
  plural: "locations",
  menu: "Organization",
  fieldGroup: "Place",
  fields,
  unique: [
    { fields: ["site", "parent", "name"] },
    { fields: ["site", "parent", "slug"] },
    {
      fields: ["site", "name"],
      whereNull: "parent",
      message: "A location with this name already exists within the specified site."
    },
    {
      fields: ["site", "slug"],
      whereNull: "parent",
      message: "A location with this slug already exists within the specified site."
    }
  ],
  counts: {
    rack_count: treeCount("dcim.rack", "location"),
    device_count: treeCount("dcim.device", "location"),
    _depth: treeDepth
  },
  functions: [
    // Objects in a location move to another site with it, and objects in its racks move with the racks.
    `create or replace function rackwire_move_location() returns trigger language plpgsql as $$
     begin
       update dcim_location set site_id = new.site_id where parent_id = new.id and site_id <> new.site_id;
       update dcim_rack set site_id = new.site_id where location_id = new.id and site_id <> new.site_id;
       update dcim_device set site_id = new.site_id where location_id = new.id and site_id <> new.site_id;
       update dcim_powerpanel set site_id = new.site_id where location_id = new.id and site_id <> new.site_id;
       return null;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_location_move",
      sql: `after update of site_id on dcim_location for each row when (old.site_id <> new.site_id)
        execute function rackwire_move_location()`
    }
  ],
  paths: contactPaths,
  panels: [{ kind: "images", of: "object" }],
  search: ["name", "slug", "description"],
  ordering: ["site", "name"],
  brief: ["name", "slug", "rack_count", "_depth"],
  looksAt: ["site", "parent"],
  *check(row, find) {
    const parent = find<{ readonly fields: typeof fields }>("dcim.location", row.parent)
    if (parent === undefined || parent.site === row.site) return
    const site = find<typeof Site>("dcim.site", row.site)
    const message = `Parent location (${String(parent.name)}) must belong to the same site (${String(site?.name)})`
    yield broken(["parent", "site"], { __all__: [message] })
  }
})
