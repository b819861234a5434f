import { defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { partFilters } from "../../shared/ComponentTemplate.ts"
import { weightFields, weightRules } from "../../shared/Weight.ts"

export default defineObjectType({
  app: "dcim",
  name: "moduletype",
  plural: "module-types",
  units: { weight: { in: "weight_unit" } },
  label: "module type",
  key: "model",
  fields: {
    manufacturer: ref("dcim.manufacturer", { onDelete: "protect" }),
    model: text({ max: 100 }),
    part_number: text({ max: 50, optional: true }),
    ...weightFields(),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["manufacturer", "model"] }],
  asked: partFilters("module_type_id"),
  search: ["model", "part_number", "description", "comments"],
  ordering: ["manufacturer", "model"],
  brief: ["manufacturer", "model"],
  display: (row) => row.model,
  check: weightRules
})
