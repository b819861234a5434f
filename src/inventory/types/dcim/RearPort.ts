import { choice, color, defineObjectType, integer, labels } from "../../ObjectType.ts"
import { fixedPanelPort, panelPortFields } from "../../shared/Component.ts"
import { passThroughTypes, positionsMax } from "../../shared/port/PassThroughTypes.ts"

export default defineObjectType({
  ...fixedPanelPort("dcim.rearport"),
  app: "dcim",
  name: "rearport",
  plural: "rear-ports",
  menu: "Components",
  label: "rear port",
  fields: {
    ...panelPortFields(),
    type: choice(passThroughTypes),
    color: color({ optional: true }),
    positions: integer({ min: 1, max: positionsMax, default: 1, help: "The number of front ports that it may have." }),
    ...labels()
  }
})
