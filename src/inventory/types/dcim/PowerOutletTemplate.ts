import { broken, choice, defineObjectType, ref } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType, partedBy } from "../../shared/ComponentTemplate.ts"
import { feedLegs, powerOutletTypes } from "../../shared/port/PowerOutletTypes.ts"
import type PowerPortTemplate from "./PowerPortTemplate.ts"

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "poweroutlettemplate",
  plural: "power-outlet-templates",
  label: "power outlet template",
  fields: {
    ...ofEitherType(),
    type: choice(powerOutletTypes, { optional: true, nullInSnapshot: true }),
    power_port: ref("dcim.powerporttemplate", { optional: true, onDelete: "set null" }),
    feed_leg: choice(feedLegs, { optional: true, nullInSnapshot: true }),
    ...described()
  },
  looksAt: ["power_port"],
  *check(row, find, before) {
    yield* eitherRules(row, before)
    const port = find<typeof PowerPortTemplate>("dcim.powerporttemplate", row.power_port)
    const parting = partedBy(row, port)
    if (parting !== undefined) {
      const message = `Parent power port (${String(port?.name)}) must belong to the same ${parting}`
      yield broken(["power_port", "device_type", "module_type"], { __all__: [message] })
    }
  }
})
