import type { RowOf } from "../../Field.ts"
import { literal } from "../../../postgres/Literal.ts"
import { type Bond, broken, choice, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { authFields, authGroup } from "../../shared/WirelessAuth.ts"
import { interfaceTypes, wirelessTypes } from "../../shared/port/InterfaceTypes.ts"
import type Interface from "../dcim/Interface.ts"

const fields = {
  interface_a: ref("dcim.interface", { onDelete: "protect" }),
  interface_b: ref("dcim.interface", { onDelete: "protect" }),
  ssid: text({ max: 32, optional: true }),
  status: choice(
    { connected: "Connected", planned: "Planned", decommissioning: "Decommissioning" },
    { default: "connected" }
  ),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  ...authFields(),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  ...labels()
}

const ends = ["interface_a", "interface_b"] as const

/** An interface of another type may have a cable, and a path over it. */
const wireless = (end: (typeof ends)[number]): Bond<RowOf<{ readonly fields: typeof fields }>> => ({
  name: end,
  fields: [end],
  applies: "true",
  lock: `select from dcim_interface where id = new.${end}_id for share`,
  broken: `exists (select from dcim_interface i where i.id = j.${end}_id
    and i.type not in (${Object.keys(wirelessTypes).map(literal).join(", ")}))`,
  rule: "A wireless link joins interfaces of wireless types.",
  errors: (row, find) => {
    const type = find<typeof Interface>("dcim.interface", row[end])?.type
    return { [end]: [`${interfaceTypes[type as keyof typeof interfaceTypes]} is not a wireless interface.`] }
  },
  others: [
    {
      type: "dcim.interface",
      fields: ["type"],
      reaches: `j.${end}_id = new.id`,
      field: "type",
      message: "format('It is an end of wireless link wireless.wirelesslink #%s.', j.id)"
    }
  ]
})

/**
 * Interfaces name their wireless link, the newest one if there are several. An update of an interface whose link has other
 * ends or another status is an event of the interface.
 */
const nameLinks = `
  create or replace function rackwire_name_wireless_links() returns trigger language plpgsql as $$
  declare
    changed bigint[];
  begin
    if tg_op = 'INSERT' then
      changed := array(select interface_a_id from made union select interface_b_id from made);
    elsif tg_op = 'DELETE' then
      changed := array(select interface_a_id from was union select interface_b_id from was);
    else
      changed := array(select e.id from was o join made n on n.id = o.id
          and (n.interface_a_id, n.interface_b_id, n.status) is distinct from (o.interface_a_id, o.interface_b_id, o.status)
        cross join lateral (values (o.interface_a_id), (o.interface_b_id), (n.interface_a_id), (n.interface_b_id)) e(id));
    end if;
    update dcim_interface i set wireless_link_id =
        (select max(l.id) from wireless_wirelesslink l where l.interface_a_id = i.id or l.interface_b_id = i.id)
     where i.id = any (changed);
    return null;
  end $$`

const triggers = (["insert", "update", "delete"] as const).map((operation) => {
  const tables = {
    insert: "new table as made",
    update: "old table as was new table as made",
    delete: "old table as was"
  }
  return {
    name: `wireless_wirelesslink_${operation}`,
    sql: `after ${operation} on wireless_wirelesslink referencing ${tables[operation]} for each statement
      execute function rackwire_name_wireless_links()`
  }
})

export default defineObjectType({
  app: "wireless",
  name: "wirelesslink",
  plural: "wireless-links",
  label: "wireless link",
  groups: authGroup,
  fields,
  unique: [{ fields: ends }],
  functions: [nameLinks],
  triggers,
  search: ["ssid", "description", "comments"],
  ordering: ["created"],
  brief: ["ssid"],
  display: (row) => (row.ssid === "" ? `#${row.id}` : row.ssid),
  looksAt: ends,
  *check(row) {
    if (row.interface_a !== row.interface_b) return
    yield broken(ends, { interface_b: ["Cannot connect an interface to itself."] })
  },
  bonds: ends.map(wireless)
})
