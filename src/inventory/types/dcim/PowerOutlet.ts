import { choice, defineObjectType, labels, ref } from "../../ObjectType.ts"
import { fixedComponent, ofSameDevice, portFields } from "../../shared/Component.ts"
import { feedLegs, powerOutletTypes } from "../../shared/port/PowerOutletTypes.ts"

export default defineObjectType({
  ...fixedComponent("dcim.poweroutlet"),
  app: "dcim",
  name: "poweroutlet",
  plural: "power-outlets",
  menu: "Components",
  label: "power outlet",
  fields: {
    ...portFields(),
    type: choice(powerOutletTypes, { optional: true, nullInSnapshot: true }),
    power_port: ref("dcim.powerport", { optional: true, onDelete: "set null", help: "The inlet that supplies it." }),
    feed_leg: choice(feedLegs, { optional: true, nullInSnapshot: true }),
    ...labels()
  },
  looksAt: ["power_port"],
  bonds: [
    ofSameDevice("power_port", "dcim.powerport", (name) => `Parent power port (${name}) must belong to the same device`)
  ]
})
