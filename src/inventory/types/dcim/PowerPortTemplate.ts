import { broken, choice, defineObjectType, integer } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType } from "../../shared/ComponentTemplate.ts"
import { powerPortTypes } from "../../shared/port/PowerPortTypes.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "powerporttemplate",
  plural: "power-port-templates",
  units: { maximum_draw: "W", allocated_draw: "W" },
  label: "power port template",
  fields: {
    ...ofEitherType(),
    type: choice(powerPortTypes, { optional: true, nullInSnapshot: true }),
    maximum_draw: integer({ min: 1, max: 2_147_483_647, optional: true, help: "In watts." }),
    allocated_draw: integer({ min: 1, max: 2_147_483_647, optional: true, help: "In watts." }),
    ...described()
  },
  *check(row, _, before) {
    yield* eitherRules(row, before)
    if (row.maximum_draw !== null && row.allocated_draw !== null && row.allocated_draw > row.maximum_draw) {
      const message = `Allocated draw cannot exceed the maximum draw (${row.maximum_draw}W).`
      yield broken(["maximum_draw", "allocated_draw"], { allocated_draw: [message] })
    }
  }
})
