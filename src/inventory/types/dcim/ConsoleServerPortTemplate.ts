import { choice, defineObjectType } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType } from "../../shared/ComponentTemplate.ts"
import { consoleTypes } from "../../shared/port/ConsoleTypes.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "consoleserverporttemplate",
  plural: "console-server-port-templates",
  label: "console server port template",
  fields: {
    ...ofEitherType(),
    type: choice(consoleTypes, { optional: true }),
    ...described()
  },
  check: (row, _, before) => eitherRules(row, before)
})
