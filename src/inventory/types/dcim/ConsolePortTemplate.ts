import { choice, defineObjectType } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType } from "../../shared/ComponentTemplate.ts"
import { consoleTypes } from "../../shared/port/ConsoleTypes.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "consoleporttemplate",
  plural: "console-port-templates",
  label: "console port template",
  fields: {
    ...ofEitherType(),
    type: choice(consoleTypes, { optional: true }),
    ...described()
  },
  check: (row, _, before) => eitherRules(row, before)
})
