/** The group of an attribute by its meaning: from the declared groups, else from the kind and name of its field. Pure. */
import type { Field } from "../../inventory/Field.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { objectType } from "../../inventory/Registry.ts"

const identity = ""
const place = "Place"
const management = "Management"
const connection = "Connection"

/** The usual groups in their order. Identity has no title: it is the first group, under the name of the type. */
const order: ReadonlyArray<string> = [identity, place, management, "Addresses"]

/** Fields whose meaning their kind does not say. */
const byName: ReadonlyMap<string, string> = new Map([
  ...["type", "device_type", "module_type", "manufacturer", "group", "kind", "parent", "device", "virtual_machine"].map(
    (name) => [name, identity] as const
  ),
  ...["facility", "physical_address", "shipping_address", "latitude", "longitude", "time_zone"].map(
    (name) => [name, place] as const
  ),
  ...["primary_ip", "primary_ip4", "primary_ip6"].map((name) => [name, management] as const),
  ...["cable", "cable_end", "mark_connected", "link_peers", "connected_endpoints", "connected_endpoints_reachable"].map(
    (name) => [name, connection] as const
  )
])

/** The names by group, in the order in which they are shown; the status leads its group. */
export const meaningOf = (
  type: ObjectType,
  names: ReadonlyArray<string>
): ReadonlyArray<readonly [title: string, names: ReadonlyArray<string>]> => {
  const declared = new Map(
    Object.entries(type.groups).flatMap(([title, fields]) => fields.map((name) => [name, title] as const))
  )
  const groupOf = (name: string): string => {
    const said = declared.get(name) ?? byName.get(name)
    if (said !== undefined) return said
    // `health_since` is in the group of `health`.
    const whole = names.find((each) => name.startsWith(`${each}_`))
    return whole === undefined ? usualGroup(type.fields[name]) : groupOf(whole)
  }
  const groups = Map.groupBy(names, groupOf)
  const titles = [...new Set([...order, ...Object.keys(type.groups), ...groups.keys()])]
  return titles.flatMap((title) => {
    const found = groups.get(title)
    return found === undefined ? [] : [[title, [...found].sort(statusFirst)] as const]
  })
}

const statusFirst = (a: string, b: string): number => Number(b === "status") - Number(a === "status")

/** References and choices say how an object is managed, references to places where it is. */
const usualGroup = (field: Field | undefined): string => {
  if (field === undefined) return identity
  const { reference, choices } = field
  if (reference !== undefined) return objectType(reference.type).fieldGroup ?? management
  return choices === undefined ? identity : management
}
