import { choice, defineObjectType, labels } from "../../ObjectType.ts"
import { fixedPort, portFields } from "../../shared/Component.ts"
import { consoleSpeeds, consoleTypes } from "../../shared/port/ConsoleTypes.ts"

export default defineObjectType({
  ...fixedPort("dcim.consoleserverport"),
  app: "dcim",
  name: "consoleserverport",
  plural: "console-server-ports",
  menu: "Components",
  label: "console server port",
  fields: {
    ...portFields(),
    type: choice(consoleTypes, { optional: true }),
    speed: choice(consoleSpeeds, { optional: true, numeric: true }),
    ...labels()
  }
})
