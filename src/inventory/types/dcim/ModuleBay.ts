import { defineObjectType, labels, nothing, text } from "../../ObjectType.ts"
import { componentFields, fixedComponent } from "../../shared/Component.ts"

export default defineObjectType({
  ...fixedComponent("dcim.modulebay"),
  app: "dcim",
  name: "modulebay",
  plural: "module-bays",
  menu: "Components",
  label: "module bay",
  fields: {
    ...componentFields(),
    position: text({ max: 30, optional: true, help: "Replaces {module} in the names of a module's components." }),
    ...labels()
  },
  // Modules have no bays of their own, as in NetBox 3.5, whose brief form has the name all the same.
  derived: { module: nothing },
  pointedBy: { installed_module: { type: "dcim.module", field: "module_bay", shows: ["serial"] } },
  brief: ["module", "name"]
})
