import type { Errors, Row, RowOf } from "../../Field.ts"
import { type Find, broken, choice, color, decimal, defineObjectType, labels, ref, text } from "../../ObjectType.ts"
import { endType, otherEndType, terminations } from "../../field/Terminations.ts"
import { hasSocket } from "../../shared/Cabled.ts"
import { cableFunctions, cableTriggers } from "../../shared/cable/CableSql.ts"
import { mayJoin, placesOfEnds } from "../../shared/cable/Ends.ts"
import { pathFunctions } from "../../shared/cable/PathSql.ts"
import { throughFunctions, throughTriggers } from "../../shared/cable/ThroughSql.ts"
import { interfaceTypes } from "../../shared/port/InterfaceTypes.ts"

const fields = {
  type: choice(
    {
      cat3: "CAT3",
      cat5: "CAT5",
      cat5e: "CAT5e",
      cat6: "CAT6",
      cat6a: "CAT6a",
      cat7: "CAT7",
      cat7a: "CAT7a",
      cat8: "CAT8",
      "dac-active": "Direct Attach Copper (Active)",
      "dac-passive": "Direct Attach Copper (Passive)",
      "mrj21-trunk": "MRJ21 Trunk",
      coaxial: "Coaxial",
      mmf: "Multimode Fiber",
      "mmf-om1": "Multimode Fiber (OM1)",
      "mmf-om2": "Multimode Fiber (OM2)",
      "mmf-om3": "Multimode Fiber (OM3)",
      "mmf-om4": "Multimode Fiber (OM4)",
      "mmf-om5": "Multimode Fiber (OM5)",
      smf: "Singlemode Fiber",
      "smf-os1": "Singlemode Fiber (OS1)",
      "smf-os2": "Singlemode Fiber (OS2)",
      aoc: "Active Optical Cabling (AOC)",
      power: "Power"
    },
    { optional: true, bare: true }
  ),
  a_type: endType(),
  a_terminations: terminations("a_type"),
  b_type: otherEndType("a_type"),
  b_terminations: terminations("b_type"),
  status: choice(
    { connected: "Connected", planned: "Planned", decommissioning: "Decommissioning" },
    { default: "connected" }
  ),
  tenant: ref("tenancy.tenant", { optional: true, onDelete: "protect" }),
  label: text({ max: 100, optional: true }),
  color: color({ optional: true }),
  length: decimal({ digits: 8, places: 2, min: 0, optional: true }),
  length_unit: choice(
    { km: "Kilometers", m: "Meters", cm: "Centimeters", mi: "Miles", ft: "Feet", in: "Inches" },
    { optional: true }
  ),
  description: text({ max: 200, optional: true }),
  comments: text({ optional: true }),
  ...labels()
}

const ends = ["a_type", "a_terminations", "b_type", "b_terminations"]

type Cable = RowOf<{ readonly fields: typeof fields }>

export default defineObjectType({
  app: "dcim",
  name: "cable",
  plural: "cables",
  knownBy: ["label"],
  menu: "Connections",
  groups: {
    Ends: ["a_terminations", "b_terminations"]
  },
  units: { length: { in: "length_unit" } },
  listed: ["a_terminations", "b_terminations", "status", "type", "color", "length"],
  fields,
  functions: [...cableFunctions, ...pathFunctions, ...throughFunctions],
  triggers: [...cableTriggers, ...throughTriggers],
  indexes: [["a_type"], ["b_type"]],
  paths: {
    termination_a_id: ["a_terminations_id"],
    termination_b_id: ["b_terminations_id"],
    device: placesOfEnds("device", "name"),
    device_id: placesOfEnds("device", "device_id"),
    rack: placesOfEnds("rack", "name"),
    rack_id: placesOfEnds("rack", "rack_id"),
    location: placesOfEnds("location", "name"),
    location_id: placesOfEnds("location", "=location_id"),
    site: placesOfEnds("site", "slug"),
    site_id: placesOfEnds("site", "site_id")
  },
  asked: {
    termination_a_type: { of: "text", sql: () => "t.a_type" },
    termination_b_type: { of: "text", sql: () => "t.b_type" }
  },
  search: ["label", "description", "comments"],
  ordering: ["created"],
  brief: ["label"],
  display: (row) => (row.label === "" ? `#${row.id}` : String(row.label)),
  looksAt: ["a_terminations", "b_terminations"],
  *check(row, find) {
    const { a_type: aType, a_terminations: a, b_type: bType, b_terminations: b } = row
    if (a.length === 0 || b.length === 0) {
      yield broken(ends, { __all__: ["Must define A and B terminations when creating a new cable."] })
    }
    if (!mayJoin(aType, bType)) {
      const [one, other] = [modelOf(aType), modelOf(bType)]
      yield broken(ends, { __all__: [`Incompatible termination types: ${one} and ${other}`] })
    }
    const twice = aType === bType ? a.find((id) => b.includes(id)) : undefined
    if (twice !== undefined) {
      yield broken(ends, { b_terminations: [`Cannot connect ${bType} ${twice} to itself`] })
    }
    if (row.length !== null && row.length_unit === null) {
      yield broken(["length", "length_unit"], { __all__: ["Must specify a unit when setting a cable length"] })
    }
    for (const [name, type] of [
      ["a_terminations", aType],
      ["b_terminations", bType]
    ] as const) {
      const errors = endErrors(name, type, row, find)
      if (errors !== undefined) yield broken([name], errors)
    }
  },
  rivals: [
    {
      fields: ends,
      where: `(t.a_type = j.a_type and t.a_terminations && j.a_terminations
        or t.a_type = j.b_type and t.a_terminations && j.b_terminations
        or t.b_type = j.a_type and t.b_terminations && j.a_terminations
        or t.b_type = j.b_type and t.b_terminations && j.b_terminations)`,
      lock: "null",
      errors: (_, other) => ({ __all__: [`Duplicate termination found: cable ${other.id} ends there as well`] })
    }
  ]
})

/** An end, as far as its kind has these fields. */
interface End extends Row {
  readonly name?: string
  readonly cable: number | null
  readonly mark_connected: boolean
  readonly type?: unknown
  readonly provider_network?: number | null
}

const modelOf = (type: string): string => type.replace(/.*\./, "")

const endErrors = (
  name: "a_terminations" | "b_terminations",
  type: string,
  row: Cable,
  find: Find
): Errors | undefined => {
  const found = row[name].flatMap((id) => (find(type, id) as End | undefined) ?? [])
  const taken = found.find(({ cable }) => cable !== null && cable !== row.id)
  if (taken !== undefined) {
    return { [name]: [`Duplicate termination found for ${type} ${taken.id}: cable ${String(taken.cable)}`] }
  }
  const virtual = type === "dcim.interface" ? found.find((each) => !hasSocket(String(each.type))) : undefined
  if (virtual !== undefined) {
    const label = interfaceTypes[virtual.type as keyof typeof interfaceTypes]
    return { [name]: [`Cables cannot be terminated to ${label} interfaces`] }
  }
  if (found.some(({ provider_network: network }) => typeof network === "number")) {
    return { [name]: ["Circuit terminations attached to a provider network may not be cabled."] }
  }
  const marked = found.find(({ mark_connected: isMarked }) => isMarked)
  if (marked === undefined) return undefined
  const kind = type === "dcim.interface" ? "Interface" : `${modelOf(type)}`
  return { [name]: [`${kind} ${marked.name ?? marked.id} is marked as connected.`] }
}
