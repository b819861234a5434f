import {
  broken,
  choice,
  countOf,
  decimal,
  defineObjectType,
  flag,
  flagged,
  labels,
  pointedAtBy,
  ref,
  slug,
  text
} from "../../ObjectType.ts"
import { image } from "../../image/ImageField.ts"
import { partFilters } from "../../shared/ComponentTemplate.ts"
import { weightFields, weightRules } from "../../shared/Weight.ts"

/** Where the air goes, of a type of devices and of one that is built in otherwise. */
export const airflows = {
  "front-to-rear": "Front to rear",
  "rear-to-front": "Rear to front",
  "left-to-right": "Left to right",
  "right-to-left": "Right to left",
  "side-to-rear": "Side to rear",
  passive: "Passive",
  mixed: "Mixed"
}

export default defineObjectType({
  app: "dcim",
  name: "devicetype",
  plural: "device-types",
  units: { u_height: "U", weight: { in: "weight_unit" } },
  label: "device type",
  groups: {
    Dimensions: ["u_height", "is_full_depth", "subdevice_role", "airflow", "weight", "weight_unit"]
  },
  fields: {
    manufacturer: ref("dcim.manufacturer", { onDelete: "protect" }),
    default_platform: ref("dcim.platform", { optional: true, onDelete: "set null" }),
    model: text({ max: 100 }),
    slug: slug(),
    part_number: text({ max: 50, optional: true }),
    u_height: decimal({ digits: 4, places: 1, min: 0, default: 1 }),
    is_full_depth: flag({ default: true }),
    subdevice_role: choice({ parent: "Parent", child: "Child" }, { optional: true }),
    airflow: choice(airflows, { optional: true }),
    ...weightFields(),
    front_image: image({ folder: "devicetype-images", optional: true }),
    rear_image: image({ folder: "devicetype-images", optional: true }),
    description: text({ max: 200, optional: true }),
    comments: text({ optional: true }),
    ...labels()
  },
  unique: [{ fields: ["manufacturer", "model"] }, { fields: ["manufacturer", "slug"] }],
  panels: [{ kind: "images", of: "self" }],
  // Parts of files of the device type library, which a list of rows does not create, and what it says of power.
  leftOut: [
    ..."console-ports console-server-ports power-ports power-outlets interfaces front-ports rear-ports".split(" "),
    ..."module-bays device-bays inventory-items is_powered".split(" ")
  ],
  asked: {
    ...partFilters("device_type_id"),
    has_front_image: flagged("t.front_image is not null"),
    has_rear_image: flagged("t.rear_image is not null"),
    device_bays: pointedAtBy("dcim.devicebaytemplate", "device_type_id"),
    inventory_items: pointedAtBy("dcim.inventoryitemtemplate", "device_type_id"),
    module_bays: pointedAtBy("dcim.modulebaytemplate", "device_type_id")
  },
  counts: { device_count: countOf("dcim.device", "device_type") },
  search: ["model", "slug", "part_number", "description", "comments"],
  ordering: ["manufacturer", "model"],
  brief: ["manufacturer", "model", "slug", "device_count"],
  display: (row) => String(row.model),
  *check(row) {
    if ((Number(row.u_height) * 2) % 1 !== 0) {
      yield broken(["u_height"], { u_height: ["U height must be in increments of 0.5 rack units."] })
    }
    if (row.subdevice_role === "child" && row.u_height !== 0) {
      yield broken(["subdevice_role", "u_height"], { u_height: ["Child device types must be 0U."] })
    }
    yield* weightRules(row)
  }
})
