import type { RowOf } from "../../Field.ts"
import { type Bond, choice, defineObjectType, integer, labels } from "../../ObjectType.ts"
import { plugBond } from "../../shared/Cabled.ts"
import { fixedPort, portFields } from "../../shared/Component.ts"
import { powerPortTypes } from "../../shared/port/PowerPortTypes.ts"

const fields = {
  ...portFields(),
  type: choice(powerPortTypes, { optional: true, nullInSnapshot: true }),
  maximum_draw: integer({ min: 1, max: 2_147_483_647, optional: true, help: "In watts." }),
  allocated_draw: integer({ min: 1, max: 2_147_483_647, optional: true, help: "In watts." }),
  ...labels()
}

const draw: Bond<RowOf<{ readonly fields: typeof fields }>> = {
  name: "draw",
  fields: ["maximum_draw", "allocated_draw"],
  applies: "new.allocated_draw > new.maximum_draw",
  broken: "j.allocated_draw > j.maximum_draw",
  rule: "The allocated draw of a power port is at most its maximum draw.",
  errors: ({ maximum_draw: most }) => ({
    allocated_draw: [`Allocated draw cannot exceed the maximum draw (${String(most)}W).`]
  }),
  others: []
}

export default defineObjectType({
  ...fixedPort("dcim.powerport"),
  app: "dcim",
  name: "powerport",
  plural: "power-ports",
  units: { maximum_draw: "W", allocated_draw: "W" },
  menu: "Components",
  label: "power port",
  fields,
  bonds: [plugBond, draw]
})
