import { choice, defineObjectType, integer, ref, text, time } from "../../ObjectType.ts"

/** One end of a cable. The cable's row is the truth about its ends; triggers keep these (shared/cable/CableSql.ts). */
export default defineObjectType({
  app: "dcim",
  name: "cabletermination",
  plural: "cable-terminations",
  kind: "record",
  menu: "Connections",
  label: "cable termination",
  fields: {
    cable: ref("dcim.cable", { onDelete: "cascade", bare: true }),
    cable_end: choice({ A: "A", B: "B" }, { bare: true }),
    termination_type: { ...text({ max: 100 }), describes: "termination_id" },
    termination_id: integer({ min: 0 }),
    created: time({ now: true, wire: "read" }),
    last_updated: time({ now: true, wire: "read" })
  },
  unique: [{ fields: ["termination_type", "termination_id"] }],
  fill: `insert into dcim_cabletermination (cable_id, cable_end, termination_type, termination_id)
    select c.id, 'A', c.a_type, e from dcim_cable c cross join unnest(c.a_terminations) e
    union all select c.id, 'B', c.b_type, e from dcim_cable c cross join unnest(c.b_terminations) e`,
  derived: {
    termination: {
      shape: { kind: "object", nullable: true },
      of: (row, view) => view.nested(String(row.termination_type), Number(row.termination_id))
    }
  },
  display: (row) => `Cable #${String(row.cable)} to ${String(row.termination_type)} #${String(row.termination_id)}`,
  search: [],
  ordering: ["cable", "cable_end"],
  brief: []
})
