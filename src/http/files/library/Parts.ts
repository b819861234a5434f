/** The keys of files of the device type library: for each object type that has files there, its own and its components'. Pure. */
import { type ObjectType, perType } from "../../../inventory/ObjectType.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { type Kind, kindsOf } from "../Columns.ts"

/** The templates that a module type may have, by their keys, in an order in which references find their objects. */
const ofModules = {
  "console-ports": "dcim.consoleporttemplate",
  "console-server-ports": "dcim.consoleserverporttemplate",
  "power-ports": "dcim.powerporttemplate",
  "power-outlets": "dcim.poweroutlettemplate",
  interfaces: "dcim.interfacetemplate",
  "rear-ports": "dcim.rearporttemplate",
  "front-ports": "dcim.frontporttemplate"
}

const ofDevices = {
  ...ofModules,
  "module-bays": "dcim.modulebaytemplate",
  "device-bays": "dcim.devicebaytemplate",
  "inventory-items": "dcim.inventoryitemtemplate"
}

/** A type of the library, with the templates that it may have. */
export interface LibraryType {
  readonly type: ObjectType
  /** The reference of its templates to it. */
  readonly owner: "device_type" | "module_type"
  /** Object types of templates by the key of their list. */
  readonly parts: Readonly<Record<string, ObjectType>>
  /** Keys of files that Rackwire has no field for. */
  readonly leftOut: ReadonlySet<string>
  readonly kinds: Kind
}

/** Keys of the library of today that NetBox 3.5 does not have, and pictures, which are files beside these. */
const unsupported = "exclude_from_utilization profile attributes is_powered front_image rear_image".split(" ")

/** Undefined for a type that has no files in the library. */
export const libraryOf = perType((type): LibraryType | undefined => {
  const of = { "dcim.devicetype": ofDevices, "dcim.moduletype": ofModules }[type.id]
  if (of === undefined) return undefined
  const parts = Object.fromEntries(Object.entries(of).map(([key, id]) => [key, objectType(id)]))
  const lists = Object.keys(ofDevices).filter((key) => !Object.hasOwn(parts, key))
  return {
    type,
    owner: type.id === "dcim.devicetype" ? "device_type" : "module_type",
    parts,
    leftOut: new Set([...unsupported, ...lists]),
    kinds: {
      ...kindsOf(type, []),
      ...Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, kindsOf(part, [])]))
    }
  }
})

/** The names of a type's fields that people write. */
export const writtenNames = perType(
  ({ fields }): ReadonlySet<string> =>
    new Set(Object.keys(fields).filter((name) => fields[name]!.wire === "both" && name !== "custom_fields"))
)
