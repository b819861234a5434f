import type { RowOf } from "../../Field.ts"
import { type Bond, choice, color, defineObjectType, integer, labels, ref } from "../../ObjectType.ts"
import { plugBond } from "../../shared/Cabled.ts"
import { fixedPanelPort, ofSameDevice, panelPortFields } from "../../shared/Component.ts"
import { passThroughTypes, positionsMax } from "../../shared/port/PassThroughTypes.ts"
import type RearPort from "./RearPort.ts"

const fields = {
  ...panelPortFields(),
  type: choice(passThroughTypes),
  color: color({ optional: true }),
  rear_port: ref("dcim.rearport", { onDelete: "cascade", shows: ["name", "label", "description"] }),
  rear_port_position: integer({ min: 1, max: positionsMax, default: 1 }),
  ...labels()
}

const fronts = "(select count(*) from dcim_frontport f where f.rear_port_id = new.id)"

/** A front port takes one of the positions of its rear port. */
const position: Bond<RowOf<{ readonly fields: typeof fields }>> = {
  name: "position",
  fields: ["rear_port", "rear_port_position"],
  applies: "true",
  lock: "select from dcim_rearport where id = new.rear_port_id for share",
  broken: `exists (select from dcim_rearport r where r.id = j.rear_port_id and j.rear_port_position > r.positions)`,
  rule: "The position of a front port is one that its rear port has.",
  errors: ({ rear_port: id, rear_port_position: number }, find) => {
    const port = find<typeof RearPort>("dcim.rearport", id)
    const message = `Rear port ${port?.name} has only ${port?.positions} positions`
    return { rear_port_position: [`Invalid rear port position (${number}): ${message}`] }
  },
  others: [
    {
      type: "dcim.rearport",
      fields: ["positions"],
      when: "new.positions < old.positions",
      reaches: "j.rear_port_id = new.id",
      field: "positions",
      message: `case when new.positions < ${fronts}
        then format('The number of positions cannot be less than the number of mapped front ports (%s)', ${fronts})
        else format('Front port dcim.frontport #%s has position %s.', j.id, j.rear_port_position) end`
    }
  ]
}

export default defineObjectType({
  ...fixedPanelPort("dcim.frontport"),
  app: "dcim",
  name: "frontport",
  plural: "front-ports",
  menu: "Components",
  label: "front port",
  fields,
  unique: [{ fields: ["device", "name"] }, { fields: ["rear_port", "rear_port_position"] }],
  looksAt: ["rear_port"],
  bonds: [
    plugBond,
    ofSameDevice("rear_port", "dcim.rearport", (name) => `Rear port (${name}) must belong to the same device`),
    position
  ]
})
