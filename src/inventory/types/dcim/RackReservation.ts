import type { RowOf } from "../../Field.ts"
import { type Bond, type Find, defineObjectType, integers, labels, ref, text } from "../../ObjectType.ts"
import type Rack from "./Rack.ts"

const fields = {
  rack: ref("dcim.rack", { onDelete: "cascade" }),
  units: integers({ min: 0, max: 32_767, help: "Whole units, counted from 1." }),
  user: ref("users.user", {
    onDelete: "protect",
    byAuthor: true,
    help: "Blank is the user who makes the reservation."
  }),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  description: text({ max: 200 }),
  comments: text({ optional: true }),
  ...labels()
}

type Reservation = RowOf<{ readonly fields: typeof fields }>

/** The rack may become lower later, as in NetBox: the reservation stays, and its units above the rack are not shown. */
const within: Bond<Reservation> = {
  name: "within",
  fields: ["rack", "units"],
  applies: "true",
  broken: `exists (select from dcim_rack r where r.id = j.rack_id
    and not (1 <= all (j.units) and r.u_height >= all (j.units)))`,
  rule: "A reservation has units of its rack.",
  errors: (row, find) => {
    const height = heightOf(row, find)
    const wrong = row.units.filter((unit) => unit < 1 || unit > height)
    return { units: [`Invalid unit(s) for ${height}U rack: ${wrong.join(", ")}`] }
  },
  others: []
}

const heightOf = (row: Reservation, find: Find): number => find<typeof Rack>("dcim.rack", row.rack)?.u_height ?? 0

const apart: Bond<Reservation> = {
  name: "apart",
  fields: ["rack", "units"],
  distinct: ["units"],
  applies: "true",
  // Writers of the same rack wait for each other.
  lock: "select from dcim_rack r where r.id = new.rack_id for no key update of r",
  broken: `exists (select from dcim_rackreservation t where t.id <> j.id and t.rack_id = j.rack_id and t.units && j.units)`,
  rule: "No two reservations have the same unit of a rack.",
  others: []
}

export default defineObjectType({
  app: "dcim",
  name: "rackreservation",
  plural: "rack-reservations",
  menu: "Organization",
  label: "rack reservation",
  fields,
  paths: { q: ["rack/name__ic", "rack/facility_id__ic", "user/username__ic", "description__ic"] },
  search: [],
  ordering: ["created"],
  listed: ["rack", "units", "user", "tenant", "description"],
  brief: ["user", "units"],
  displayBy: ["rack"],
  display: (row, view) => {
    const rack = view.row("dcim.rack", row.rack) as RowOf<typeof Rack> | undefined
    const name = rack === undefined ? `#${row.rack}` : String(rack.name)
    return `Reservation for rack ${rack?.facility_id ? `${name} (${rack.facility_id})` : name}`
  },
  looksAt: ["rack"],
  bonds: [within, apart],
  rivals: [
    {
      fields: ["rack", "units"],
      where: "t.rack_id = j.rack_id and t.units && j.units",
      lock: "j.rack_id::text",
      errors: (row, other) => {
        const taken = new Set(other.units)
        const both = row.units.filter((unit) => taken.has(unit))
        return { units: [`The following units have already been reserved: ${both.join(", ")}`] }
      }
    }
  ]
})
