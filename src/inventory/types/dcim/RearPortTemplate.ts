import { choice, color, defineObjectType, integer } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType } from "../../shared/ComponentTemplate.ts"
import { passThroughTypes } from "../../shared/port/PassThroughTypes.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "rearporttemplate",
  plural: "rear-port-templates",
  label: "rear port template",
  fields: {
    ...ofEitherType(),
    type: choice(passThroughTypes),
    color: color({ optional: true }),
    positions: integer({ min: 1, max: 1024, default: 1 }),
    ...described()
  },
  check: (row, _, before) => eitherRules(row, before)
})
