import { defineObjectType, text } from "../../ObjectType.ts"
import { described, deviceTemplate, ofDeviceType, staysRules } from "../../shared/ComponentTemplate.ts"

export default defineObjectType({
  ...deviceTemplate,
  app: "dcim",
  name: "modulebaytemplate",
  plural: "module-bay-templates",
  label: "module bay template",
  fields: {
    ...ofDeviceType(),
    position: text({ max: 30, optional: true, help: "It replaces {module} in the names of a module's components." }),
    ...described()
  },
  check: (row, _, before) => staysRules(row, before)
})
