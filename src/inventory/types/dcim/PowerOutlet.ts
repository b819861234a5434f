import { choice, defineObjectType, labels, ref } from "../../ObjectType.ts"
import { plugBond } from "../../shared/Cabled.ts"
import { fixedPort, ofSameDevice, portFields } from "../../shared/Component.ts"
import { feedLegs, powerOutletTypes } from "../../shared/port/PowerOutletTypes.ts"

export default defineObjectType({
  ...fixedPort("dcim.poweroutlet"),
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
    plugBond,
    ofSameDevice("power_port", "dcim.powerport", (name) => `Parent power port (${name}) must belong to the same device`)
  ]
})
