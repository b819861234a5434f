import { choice, color, defineObjectType, integer, ref } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType, partedBy } from "../../shared/ComponentTemplate.ts"
import { passThroughTypes } from "../../shared/port/PassThroughTypes.ts"
import type RearPortTemplate from "./RearPortTemplate.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "frontporttemplate",
  plural: "front-port-templates",
  label: "front port template",
  fields: {
    ...ofEitherType(),
    type: choice(passThroughTypes),
    color: color({ optional: true }),
    rear_port: ref("dcim.rearporttemplate", { onDelete: "cascade" }),
    rear_port_position: integer({ min: 1, max: 1024, default: 1 }),
    ...described()
  },
  unique: [...eitherTemplate.unique, { fields: ["rear_port", "rear_port_position"] }],
  looksAt: ["rear_port"],
  check: (row, _, before) => eitherRules(row, before),
  bonds: [
    {
      name: "mapped",
      fields: ["rear_port", "rear_port_position", "device_type", "module_type"],
      applies: "true",
      lock: "select from dcim_rearporttemplate where id = new.rear_port_id for share",
      broken: `exists (select from dcim_rearporttemplate r where r.id = j.rear_port_id
        and (j.rear_port_position > r.positions
          or (r.device_type_id, r.module_type_id) is distinct from (j.device_type_id, j.module_type_id)))`,
      rule: "A front port template has a position of a rear port template of the same type.",
      errors: (row, find) => {
        const rear = find<typeof RearPortTemplate>("dcim.rearporttemplate", row.rear_port)
        const parting = partedBy(row, rear)
        const name = String(rear?.name)
        if (parting !== undefined) return { __all__: [`Rear port (${name}) must belong to the same ${parting}`] }
        const position = `Invalid rear port position (${row.rear_port_position})`
        return { __all__: [`${position}; rear port ${name} has only ${String(rear?.positions)} positions`] }
      },
      others: [
        {
          type: "dcim.rearporttemplate",
          fields: ["positions", "device_type", "module_type"],
          reaches: "j.rear_port_id = new.id",
          field: "positions",
          message: `format('The number of positions cannot be less than the number of mapped front port templates (%s)',
            (select count(*) from dcim_frontporttemplate f where f.rear_port_id = new.id))`
        }
      ]
    }
  ]
})
