/** Parts of a declaration about what a write of an object fills in, and what a new object brings along. */
import type { Fields, Row } from "../Field.ts"
import type { Find } from "../Rule.ts"
import { flag } from "../field/Scalar.ts"

export interface Creation {
  readonly inherits?: ReadonlyArray<Inheritance>
  readonly components?: Instantiation
  /** Flags of a request to create an object that are not stored. */
  readonly inputs?: Fields
}

/** A value that an object without one takes from an object that it points at; `looksAt` must lead there. */
interface Inheritance {
  readonly field: string
  /** The reference, and the field of the object there. */
  readonly from: readonly [reference: string, field: string]
  /** Whether every write fills it in, and not the creation alone. */
  readonly always?: boolean
  /** Whether the row may have the value; always if absent. */
  fits?(value: unknown, row: Row, find: Find): boolean
}

/** Components that are made of the templates of a new object's type. */
export interface Instantiation {
  /** The reference to the type, of the object and of the templates. */
  readonly by: "device_type" | "module_type"
  /** SQL of `device_id`, `module_id`, `type_id` and `bay`, the position of the module's bay, over `x`, the object. */
  readonly owner: string
  /** SQL of what `owner` needs beside `x`. */
  readonly joined: string
  /** Whether {module} in names and labels of templates means the position of the bay. */
  readonly hasPlaceholder: boolean
  /** The types of the components by those of their templates, in the order of their creation. */
  readonly makes: Readonly<Record<string, string>>
}

/** The types of components by their kinds: a template is of the type whose name has `template` behind it. */
const making = (...kinds: ReadonlyArray<string>): Instantiation["makes"] =>
  Object.fromEntries(kinds.map((kind) => [`dcim.${kind}template`, `dcim.${kind}`]))

/** Whether the platform is for devices of any manufacturer, or of the one of the device's type. */
const isOfManufacturer = (platform: unknown, { device_type }: Row, find: Find): boolean => {
  const manufacturer = find("dcim.platform", platform as number)?.["manufacturer"]
  return (
    typeof manufacturer !== "number" ||
    manufacturer === find("dcim.devicetype", device_type as number)?.["manufacturer"]
  )
}

export const ofDevice: Creation = {
  inherits: [
    { field: "airflow", from: ["device_type", "airflow"] },
    { field: "platform", from: ["device_type", "default_platform"], fits: isOfManufacturer },
    { field: "location", from: ["rack", "location"], always: true }
  ],
  components: {
    by: "device_type",
    owner: "x.id as device_id, null::bigint as module_id, x.device_type_id as type_id, null::text as bay",
    joined: "",
    hasPlaceholder: false,
    makes: making(
      ...["consoleport", "consoleserverport", "powerport", "poweroutlet", "interface", "rearport", "frontport"],
      ...["modulebay", "devicebay", "inventoryitem"]
    )
  }
}

export const ofModule = {
  components: {
    by: "module_type",
    owner: "x.device_id, x.id as module_id, x.module_type_id as type_id, b.position as bay",
    joined: "join dcim_modulebay b on b.id = x.module_bay_id",
    hasPlaceholder: true,
    makes: making("consoleport", "consoleserverport", "interface", "powerport", "poweroutlet", "rearport", "frontport")
  },
  inputs: {
    replicate_components: flag({
      default: true,
      help: "Whether to create the components that its module type has templates for."
    }),
    adopt_components: flag({
      default: false,
      help: "Whether components of the device that have these names and no module become parts of this one."
    })
  }
} satisfies Creation
