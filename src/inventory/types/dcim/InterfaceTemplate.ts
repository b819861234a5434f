import { broken, choice, defineObjectType, flag, ref } from "../../ObjectType.ts"
import { described, eitherRules, eitherTemplate, ofEitherType, partedBy } from "../../shared/ComponentTemplate.ts"
import { poeRules } from "../../shared/port/PoeRules.ts"
import { interfaceTypes, poeModes, poeTypes } from "../../shared/port/InterfaceTypes.ts"

const fields = {
  ...ofEitherType(),
  type: choice(interfaceTypes),
  enabled: flag({ default: true }),
  mgmt_only: flag({ default: false }),
  bridge: ref("dcim.interfacetemplate", { optional: true, onDelete: "set null" }),
  poe_mode: choice(poeModes, { optional: true, nullInSnapshot: true }),
  poe_type: choice(poeTypes, { optional: true, nullInSnapshot: true }),
  ...described()
}

export default defineObjectType({
  ...eitherTemplate,
  app: "dcim",
  name: "interfacetemplate",
  plural: "interface-templates",
  label: "interface template",
  fields,
  looksAt: ["bridge"],
  *check(row, find, before) {
    yield* eitherRules(row, before)
    yield* poeRules(row)
    if (row.bridge !== null && row.bridge === row.id) {
      yield broken(["bridge"], { bridge: ["An interface cannot be bridged to itself."] })
    }
    const bridge = find<{ readonly fields: typeof fields }>("dcim.interfacetemplate", row.bridge)
    const parting = partedBy(row, bridge)
    if (parting !== undefined) {
      const message = `Bridge interface (${String(bridge?.name)}) must belong to the same ${parting}`
      yield broken(["bridge", "device_type", "module_type"], { bridge: [message] })
    }
  }
})
