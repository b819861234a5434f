/** The object types that a cable can end at, and the pairs of them that it can join. A new type is a new entry here. */

interface EndType {
  /** The types at the other end of its cables. */
  readonly joins: ReadonlyArray<string>
  /** Whether paths begin and end there; a cable leads on behind the others. */
  readonly isEndpoint: boolean
  /** Steps of filters (derive/filter/Path.ts) from the type to the places of its objects. */
  readonly places: Places
}

interface Places {
  readonly device?: string
  readonly rack?: string
  readonly location?: string
  readonly site: string
}

const ofDevice = { device: "device", rack: "device/rack", location: "device/location", site: "device/site" }
const ofPanel = { rack: "rack", location: "power_panel/location", site: "power_panel/site" }

const panels = ["dcim.frontport", "dcim.rearport"]
const patched = ["dcim.interface", "dcim.consoleport", "dcim.consoleserverport"]

/** One end of a circuit. */
const circuitEnd = "circuits.circuittermination"

const endpoint = (joins: ReadonlyArray<string>, places: Places = ofDevice): EndType => ({
  joins,
  isEndpoint: true,
  places
})
const panelPort: EndType = { joins: [...patched, ...panels, circuitEnd], isEndpoint: false, places: ofDevice }

const endTypes: Readonly<Record<string, EndType>> = {
  "dcim.interface": endpoint(["dcim.interface", circuitEnd, ...panels]),
  "dcim.consoleport": endpoint(["dcim.consoleserverport", ...panels]),
  "dcim.consoleserverport": endpoint(["dcim.consoleport", ...panels]),
  "dcim.powerport": endpoint(["dcim.poweroutlet", "dcim.powerfeed"]),
  "dcim.poweroutlet": endpoint(["dcim.powerport"]),
  "dcim.powerfeed": endpoint(["dcim.powerport"], ofPanel),
  "dcim.frontport": panelPort,
  "dcim.rearport": panelPort,
  [circuitEnd]: { joins: ["dcim.interface", circuitEnd, ...panels], isEndpoint: false, places: { site: "site" } }
}

/** Ids of the types. */
export const endTypeIds: ReadonlyArray<string> = Object.keys(endTypes)

/** The types at which paths begin and end. */
export const endpointIds: ReadonlyArray<string> = endTypeIds.filter((id) => endTypes[id]!.isEndpoint)

/** The types of what paths lead to. The networks behind a circuit end them too. */
export const destinationIds: ReadonlyArray<string> = [...endpointIds, "circuits.providernetwork"]

/** The type that is meant where nothing names one: cables of earlier versions joined interfaces only. */
export const usualEnd = "dcim.interface"

export const isEndpoint = (id: string): boolean => endpointIds.includes(id)

export const mayJoin = (a: string, b: string): boolean => endTypes[a]?.joins.includes(b) === true

/** All pairs, each in both orders. */
export const pairs: ReadonlyArray<readonly [a: string, b: string]> = endTypeIds.flatMap((a) =>
  endTypeIds.flatMap((b) => (mayJoin(a, b) ? [[a, b] as const] : []))
)

export const tableOf = (id: string): string => id.replace(".", "_")

/**
 * Paths of filters from a cable to the places of its ends: `last` is what is compared there, `slug`, or the reference
 * itself, `=location_id`.
 */
export const placesOfEnds = (place: keyof Places, last: string): ReadonlyArray<string> =>
  endTypeIds.flatMap((id) => {
    const steps = endTypes[id]!.places[place]
    if (steps === undefined) return []
    const way = last.endsWith("_id") ? steps.replace(/[^/]+$/, last) : `${steps}/${last}`
    return [`<${id}.cable/${way}`]
  })
