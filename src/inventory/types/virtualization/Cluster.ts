import { choice, contactPaths, countOf, defineObjectType, labels, ref, text } from "../../ObjectType.ts"

export default defineObjectType({
  app: "virtualization",
  name: "cluster",
  plural: "clusters",
  identity: ["name", "group", "site"],
  fields: {
    name: text({ max: 100 }),
    type: ref("virtualization.clustertype", { onDelete: "protect" }),
    group: ref("virtualization.clustergroup", { optional: true, onDelete: "protect" }),
    status: choice(
      {
        planned: "Planned",
        staging: "Staging",
        active: "Active",
        decommissioning: "Decommissioning",
        offline: "Offline"
      },
      { default: "active" }
    ),
    tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
    site: ref("dcim.site", { optional: true, onDelete: "protect" }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["group", "name"] }, { fields: ["site", "name"] }],
  counts: {
    device_count: countOf("dcim.device", "cluster"),
    virtualmachine_count: countOf("virtualization.virtualmachine", "cluster")
  },
  functions: [
    // Its virtual machines are where it is; the devices that carry it must be there.
    `create or replace function rackwire_move_cluster() returns trigger language plpgsql as $$
     declare
       elsewhere bigint := (select count(*) from dcim_device where cluster_id = new.id and site_id <> new.site_id);
     begin
       if elsewhere > 0 then
         raise exception 'cluster % has hosts elsewhere', new.id using errcode = 'check_violation', detail = format(
           '%s devices are assigned as hosts for this cluster but are not in site %s',
           elsewhere, (select name from dcim_site where id = new.site_id));
       end if;
       update virtualization_virtualmachine set site_id = new.site_id
         where cluster_id = new.id and site_id is distinct from new.site_id;
       return null;
     end $$`
  ],
  triggers: [
    {
      name: "virtualization_cluster_move",
      sql: `after update of site_id on virtualization_cluster for each row
        when (new.site_id is not null and new.site_id is distinct from old.site_id)
        execute function rackwire_move_cluster()`
    }
  ],
  paths: contactPaths,
  search: ["name", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "virtualmachine_count"]
})
