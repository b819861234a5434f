import { countOf, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { bondState } from "../../Rule.ts"
import type Device from "./Device.ts"

export default defineObjectType({
  app: "dcim",
  name: "virtualchassis",
  plural: "virtual-chassis",
  identity: ["name"],
  label: "virtual chassis",
  fields: {
    name: text({ max: 64 }),
    domain: text({ max: 30, optional: true }),
    master: ref("dcim.device", { optional: true, onDelete: "protect", unique: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  counts: { member_count: countOf("dcim.device", "virtual_chassis") },
  functions: [
    // The master of a new virtual chassis becomes its first member.
    `create or replace function rackwire_enlist_master() returns trigger language plpgsql as $$
     begin
       update dcim_device set virtual_chassis_id = new.id, vc_position = coalesce(vc_position, 1)
        where id = new.master_id;
       return null;
     end $$`,
    `create or replace function rackwire_keep_chassis() returns trigger language plpgsql as $$
     begin
       if exists (select from dcim_device d join dcim_interface i on i.device_id = d.id
           join dcim_interface l on l.id = i.lag_id
          where d.virtual_chassis_id = old.id and l.device_id <> i.device_id) then
         raise exception 'Unable to delete virtual chassis dcim.virtualchassis #%. %', old.id,
           'There are member interfaces which form a cross-chassis LAG'
           using errcode = '${bondState}', column = 'master', detail = format('dcim.virtualchassis #%s stays.', old.id);
       end if;
       return old;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_virtualchassis_enlist",
      sql: "after insert on dcim_virtualchassis for each row execute function rackwire_enlist_master()"
    },
    {
      name: "dcim_virtualchassis_keep",
      sql: "before delete on dcim_virtualchassis for each row execute function rackwire_keep_chassis()"
    }
  ],
  search: ["name", "domain", "description", "comments"],
  ordering: ["name"],
  brief: ["name", "master", "member_count"],
  looksAt: ["master"],
  bonds: [
    {
      name: "master",
      fields: ["master"],
      applies: "new.master_id is not null",
      // The master of a new one becomes a member.
      sparesNew: true,
      lock: "select from dcim_device where id = new.master_id for share",
      broken: `exists (select from dcim_device d where d.id = j.master_id and d.virtual_chassis_id is distinct from j.id)`,
      rule: "The master of a virtual chassis is a member of it.",
      errors: (row, find) => {
        const master = find<typeof Device>("dcim.device", row.master)
        return { master: [`The selected master (${master?.name}) is not assigned to this virtual chassis.`] }
      },
      others: [
        {
          type: "dcim.device",
          fields: ["virtual_chassis"],
          reaches: "j.master_id = new.id",
          field: "virtual_chassis",
          message: "format('It is the master of virtual chassis dcim.virtualchassis #%s.', j.id)"
        }
      ]
    }
  ]
})
