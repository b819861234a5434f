/** The fields, filters and rules that templates of components share. */
import { type SqlFilter, pointedAtBy } from "../Asked.ts"
import { type RuleViolation, broken } from "../Rule.ts"
import { ref } from "../field/Reference.ts"
import { text } from "../field/Text.ts"

const help = `In the template of a module type, {module} becomes the position of the module's bay.`

const words = () => ({
  name: text({ max: 64, help }),
  label: text({ max: 64, optional: true })
})

/** The last field of every template. Components do not get it. */
export const described = () => ({ description: text({ max: 200, optional: true }) })

/** A component that devices have, and modules do not. */
export const ofDeviceType = () => ({
  device_type: ref("dcim.devicetype", { onDelete: "cascade" }),
  ...words()
})

/** A component that devices and modules have: its template belongs to one of the two types. */
export const ofEitherType = () => ({
  device_type: ref("dcim.devicetype", { optional: true, onDelete: "cascade" }),
  module_type: ref("dcim.moduletype", { optional: true, onDelete: "cascade" }),
  ...words()
})

const shared = {
  menu: "Component templates",
  search: ["name", "label", "description"],
  brief: ["name"],
  display: ({ name, label }: { readonly name: string; readonly label: string }) =>
    label === "" ? name : `${name} (${label})`
} as const

/** NetBox 3.5 has these names; those of 4.0, with another underscore, are the references themselves. */
const devicePaths = { devicetype_id: "device_type_id" } as const

/** The declaration of a template that `ofDeviceType` has the fields of, but for its names. */
export const deviceTemplate = {
  ...shared,
  unique: [{ fields: ["device_type", "name"] }],
  ordering: ["device_type", "name"],
  paths: devicePaths
} as const

/** The declaration of a template that `ofEitherType` has the fields of, but for its names. */
export const eitherTemplate = {
  ...shared,
  unique: [{ fields: ["device_type", "name"] }, { fields: ["module_type", "name"] }],
  ordering: ["device_type", "module_type", "name"],
  paths: { ...devicePaths, moduletype_id: "module_type_id" }
} as const

/** The filters of a type by the templates that it has. `column`: the column of templates that names it. */
export const partFilters = (column: string): Readonly<Record<string, SqlFilter>> => {
  const having = (...kinds: ReadonlyArray<string>) =>
    pointedAtBy(
      kinds.map((kind) => `dcim.${kind}template`),
      column
    )
  return {
    console_ports: having("consoleport"),
    console_server_ports: having("consoleserverport"),
    interfaces: having("interface"),
    pass_through_ports: having("frontport", "rearport"),
    power_outlets: having("poweroutlet"),
    power_ports: having("powerport")
  }
}

interface OfDeviceType {
  readonly device_type: number | null
}

interface OfEitherType extends OfDeviceType {
  readonly module_type: number | null
}

/** A template keeps its device type: components and other templates were made by it. */
export function* staysRules(row: OfDeviceType, before: OfDeviceType | undefined): Iterable<RuleViolation> {
  if (before === undefined || before.device_type === row.device_type) return
  const message = "Component templates cannot be moved to a different device type."
  yield broken(["device_type"], { device_type: [message] })
}

export function* eitherRules(row: OfEitherType, before: OfEitherType | undefined): Iterable<RuleViolation> {
  const fields = ["device_type", "module_type"]
  if (row.device_type !== null && row.module_type !== null) {
    const message = "A component template cannot be associated with both a device type and a module type."
    yield broken(fields, { __all__: [message] })
  }
  if (row.device_type === null && row.module_type === null) {
    const message = "A component template must be associated with either a device type or a module type."
    yield broken(fields, { __all__: [message] })
  }
  yield* staysRules(row, before)
  if (before !== undefined && before.module_type !== row.module_type) {
    const message = "Component templates cannot be moved to a different module type."
    yield broken(["module_type"], { module_type: [message] })
  }
}

/** The word for the type of which another template is not, although it should; undefined if it is of the same type. */
export const partedBy = (row: OfEitherType, other: OfEitherType | undefined): string | undefined => {
  if (other === undefined) return undefined
  if (row.device_type !== null && other.device_type !== row.device_type) return "device type"
  return row.module_type !== null && other.module_type !== row.module_type ? "module type" : undefined
}
