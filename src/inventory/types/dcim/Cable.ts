import type { Errors, RowOf } from "../../Field.ts"
import {
  type SqlFilter,
  type Find,
  broken,
  choice,
  color,
  decimal,
  defineObjectType,
  labels,
  ref,
  terminations,
  text
} from "../../ObjectType.ts"
import type Interface from "./Interface.ts"
import { hasSocket } from "../../shared/Cabled.ts"

const fields = {
  type: choice(
    {
      cat3: "CAT3",
      cat5: "CAT5",
      cat5e: "CAT5e",
      cat6: "CAT6",
      cat6a: "CAT6a",
      cat7: "CAT7",
      cat7a: "CAT7a",
      cat8: "CAT8",
      "dac-active": "Direct Attach Copper (Active)",
      "dac-passive": "Direct Attach Copper (Passive)",
      "mrj21-trunk": "MRJ21 Trunk",
      coaxial: "Coaxial",
      mmf: "Multimode Fiber",
      "mmf-om1": "Multimode Fiber (OM1)",
      "mmf-om2": "Multimode Fiber (OM2)",
      "mmf-om3": "Multimode Fiber (OM3)",
      "mmf-om4": "Multimode Fiber (OM4)",
      "mmf-om5": "Multimode Fiber (OM5)",
      smf: "Singlemode Fiber",
      "smf-os1": "Singlemode Fiber (OS1)",
      "smf-os2": "Singlemode Fiber (OS2)",
      aoc: "Active Optical Cabling (AOC)",
      power: "Power"
    },
    { optional: true, bare: true }
  ),
  a_terminations: terminations("dcim.interface"),
  b_terminations: terminations("dcim.interface"),
  status: choice(
    { connected: "Connected", planned: "Planned", decommissioning: "Decommissioning" },
    { default: "connected" }
  ),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  label: text({ max: 100, optional: true }),
  color: color({ optional: true }),
  length: decimal({ digits: 8, places: 2, min: 0, optional: true }),
  length_unit: choice(
    { km: "Kilometers", m: "Meters", cm: "Centimeters", mi: "Miles", ft: "Feet", in: "Inches" },
    { optional: true }
  ),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  ...labels()
}

/** Paths from a cable by either end. */
const ends = (path: string) => [`a_terminations/${path}`, `b_terminations/${path}`]

/** All cables end at interfaces of devices. */
const endType: SqlFilter = { of: "text", sql: () => "'dcim.interface'" }

type Cable = RowOf<{ readonly fields: typeof fields }>

export default defineObjectType({
  app: "dcim",
  name: "cable",
  plural: "cables",
  knownBy: ["label"],
  menu: "Connections",
  groups: {
    Ends: ["a_terminations", "b_terminations"]
  },
  fields,
  functions: [
    // A cable is at one place only: where it ends, its interfaces say so, and one without an end is none.
    `create or replace function rackwire_connect() returns trigger language plpgsql as $$
     declare
       ends bigint[] := new.a_terminations || new.b_terminations;
     begin
       if cardinality(new.a_terminations) = 0 or cardinality(new.b_terminations) = 0 then
         delete from dcim_cable where id = new.id;
         return null;
       end if;
       update dcim_interface set cable_id = null where cable_id = new.id and id <> all (ends);
       update dcim_interface set cable_id = new.id where cable_id is null and id = any (ends);
       if exists (select from dcim_interface where id = any (ends) and cable_id is distinct from new.id) then
         raise exception 'an end of cable % has another cable', new.id using errcode = 'unique_violation';
       end if;
       return null;
     end $$`
  ],
  triggers: [
    {
      name: "dcim_cable_connect",
      sql: "after insert or update of a_terminations, b_terminations on dcim_cable for each row execute function rackwire_connect()"
    }
  ],
  paths: {
    termination_a_id: ["a_terminations_id"],
    termination_b_id: ["b_terminations_id"],
    device: ends("device/name"),
    device_id: ends("device_id"),
    rack: ends("device/rack/name"),
    rack_id: ends("device/rack_id"),
    location: ends("device/location/name"),
    location_id: ends("device/=location_id"),
    site: ends("device/site/slug"),
    site_id: ends("device/site_id")
  },
  asked: { termination_a_type: endType, termination_b_type: endType },
  search: ["label", "description", "comments"],
  ordering: ["created"],
  brief: ["label"],
  display: (row) => (row.label === "" ? `#${row.id}` : String(row.label)),
  looksAt: ["a_terminations", "b_terminations"],
  *check(row, find) {
    const ends = ["a_terminations", "b_terminations"] as const
    const [a, b] = [row.a_terminations, row.b_terminations] as [ReadonlyArray<number>, ReadonlyArray<number>]
    if (a.length === 0 || b.length === 0) {
      yield broken(ends, { __all__: ["Must define A and B terminations when creating a new cable."] })
    }
    const twice = a.find((id) => b.includes(id))
    if (twice !== undefined) {
      yield broken(ends, { b_terminations: [`Cannot connect dcim.interface ${twice} to itself`] })
    }
    if (row.length !== null && row.length_unit === null) {
      yield broken(["length", "length_unit"], { __all__: ["Must specify a unit when setting a cable length"] })
    }
    for (const name of ends) {
      const errors = endErrors(name, row, find)
      if (errors !== undefined) yield broken([name], errors)
    }
  },
  rivals: [
    {
      fields: ["a_terminations", "b_terminations"],
      where: `(t.a_terminations && (j.a_terminations || j.b_terminations)
        or t.b_terminations && (j.a_terminations || j.b_terminations))`,
      lock: "null",
      errors: (_, other) => ({ __all__: [`Duplicate termination found: cable ${other.id} ends there as well`] })
    }
  ]
})

const endErrors = (name: "a_terminations" | "b_terminations", row: Cable, find: Find): Errors | undefined => {
  const ends = row[name].flatMap((id) => find<typeof Interface>("dcim.interface", id) ?? [])
  const taken = ends.find(({ cable }) => cable !== null && cable !== row.id)
  if (taken !== undefined) {
    return { [name]: [`Duplicate termination found for dcim.interface ${taken.id}: cable ${String(taken.cable)}`] }
  }
  const virtual = ends.find(({ type }) => !hasSocket(type))
  if (virtual !== undefined) return { [name]: [`Cables cannot be terminated to ${virtual.type} interfaces`] }
  const marked = ends.find(({ mark_connected: isMarked }) => isMarked)
  return marked === undefined ? undefined : { [name]: [`Interface ${marked.name} is marked as connected.`] }
}
