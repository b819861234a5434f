/** The topology of devices as a picture: read in one statement, and laid out and drawn in slices. */
import { Effect } from "effect"
import { inSlices, mapInSlices } from "../eventloop/Slices.ts"
import type { Where } from "../inventory/derive/filter/Where.ts"
import { type DrawnDevice, type Topology, topologyOf } from "./Devices.ts"
import { layoutOf } from "./Layout.ts"
import { type Drawn, framed, pieces } from "./Picture.ts"

/** The grounds on which devices are in one box. */
export const groupings = { rack: "Rack", role: "Role", none: "None" } as const
export type Grouping = keyof typeof groupings

/** The key of a device's group, and its title. */
const groupOf = ({ rack, role }: DrawnDevice, grouping: Grouping): readonly [key: string, title: string] => {
  if (grouping === "none") return ["", ""]
  const of = grouping === "rack" ? rack : role
  return of === null ? ["", grouping === "rack" ? "No rack" : "No role"] : [`${of[0]}`, of[1]]
}

export const drawTopology = Effect.fnUntraced(function* (topology: Topology, grouping: Grouping, base: string) {
  const { devices, lines } = topology
  const titles = new Map(devices.map((device) => groupOf(device, grouping)))
  const grouped = devices.map((device) => ({ id: device.id, group: groupOf(device, grouping)[0] }))
  const layout = yield* inSlices(layoutOf(grouped, lines))
  const drawn: Drawn = { layout, devices, lines, base, titleOf: (group) => titles.get(group) ?? "" }
  return framed(drawn, yield* mapInSlices(pieces(drawn), (piece) => piece()))
})

/** The picture of the devices that meet the condition, with cables of these statuses, and the topology that it shows. */
export const topologyPicture = Effect.fnUntraced(function* (
  wanted: Where,
  { grouping, statuses }: { readonly grouping: Grouping; readonly statuses?: ReadonlyArray<string> | undefined },
  base: string
) {
  const topology = yield* topologyOf(wanted, statuses)
  return { topology, picture: yield* drawTopology(topology, grouping, base) }
})
