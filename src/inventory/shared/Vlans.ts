/** The VLANs of an interface, of a device or of a virtual machine. The mode decides which of them it keeps. */
import { choice } from "../field/Choice.ts"
import { ref, refs } from "../field/Reference.ts"

export const vlanFields = () => ({
  mode: choice({ access: "Access", tagged: "Tagged", "tagged-all": "Tagged (All)" }, { optional: true }),
  untagged_vlan: ref("ipam.vlan", {
    optional: true,
    onDelete: "set null",
    help: "An interface without a mode has none."
  }),
  tagged_vlans: refs("ipam.vlan")
})

export const vlanPaths = {
  vlan: ["untagged_vlan/vid", "tagged_vlans/vid"],
  vlan_id: ["untagged_vlan_id", "tagged_vlans_id"]
}

/** As in NetBox, an interface drops VLANs that its mode has no use for. */
export const vlanFunction = `create or replace function rackwire_keep_vlans() returns trigger language plpgsql as $$
     begin
       if new.mode is null then new.untagged_vlan_id := null; end if;
       if new.mode is distinct from 'tagged' then new.tagged_vlans := '{}'; end if;
       return new;
     end $$`

export const vlanTrigger = (table: string) => ({
  name: `${table}_mode`,
  sql: `before insert or update of mode, untagged_vlan_id, tagged_vlans on ${table} for each row
        when (new.mode is null and new.untagged_vlan_id is not null
          or new.mode is distinct from 'tagged' and new.tagged_vlans <> '{}')
        execute function rackwire_keep_vlans()`
})
