/** The contents of a rack, as its reader may view them -> a picture of one face. Pure. */
import type { RowOf, View } from "../inventory/Field.ts"
import type Device from "../inventory/types/dcim/Device.ts"
import type DeviceRole from "../inventory/types/dcim/DeviceRole.ts"
import type DeviceType from "../inventory/types/dcim/DeviceType.ts"
import type Rack from "../inventory/types/dcim/Rack.ts"
import { type Elevation, type Moves, type ShownDevice, drawElevation, usualSize } from "./Drawing.ts"
import { type Contents, deviceType, frameOf } from "./Elevation.ts"
import { type Face, halfUnits, otherFace, takenAt } from "./Units.ts"

interface Looks extends Pick<Elevation, "face" | "base" | "canAdd"> {
  readonly size?: Elevation["size"]
  /** Ids of devices. */
  readonly highlighted?: ReadonlySet<number>
  /** The devices that the reader may move, with their ETags; absent where none may be moved here. */
  readonly movable?: ReadonlyMap<number, string> | undefined
}

/** `view` has what the devices refer to, as far as the reader may view it. */
export const picture = (
  rack: RowOf<typeof Rack>,
  { mounted, devices, reservations }: Contents,
  view: View,
  { size = usualSize, highlighted = new Set(), movable, ...looks }: Looks
): string =>
  drawElevation({
    rack: { id: rack.id, name: String(rack.name), site: rack.site, location: rack.location },
    frame: frameOf(rack),
    units: halfUnits(frameOf(rack), mounted, reservations, looks.face),
    devices: new Map(devices.map((row) => [row.id, shownDevice(row, view, highlighted.has(row.id))])),
    reservations: new Map(reservations.map(({ id, description }) => [id, String(description)])),
    size,
    moves: movable && movesOf(rack, mounted, looks.face, movable),
    ...looks
  })

const movesOf = (
  rack: RowOf<typeof Rack>,
  mounted: Contents["mounted"],
  face: Face,
  movable: ReadonlyMap<number, string>
): Moves => {
  const frame = frameOf(rack)
  const handles = mounted.flatMap((each) => {
    const version = movable.get(each.id)
    return version === undefined ? [] : [[each.id, { ...each, version }] as const]
  })
  return {
    handles: new Map(handles),
    taken: takenAt(frame, mounted, face),
    behind: takenAt(frame, mounted, otherFace(face))
  }
}

/** The colour of a device whose role the reader may not view. */
const usualColor = "9e9e9e"

/** Parts that the reader may not view are left out of the note. */
const shownDevice = (row: RowOf<typeof Device>, view: View, isHighlighted: boolean): ShownDevice => {
  const role = view.row("dcim.devicerole", row.device_role) as RowOf<typeof DeviceRole> | undefined
  const type = view.row("dcim.devicetype", row.device_type) as RowOf<typeof DeviceType> | undefined
  const label = deviceType.display(row, view)
  const note = [
    `Name: ${label}`,
    role && `Role: ${String(role.name)}`,
    type && `Type: ${String(type.model)} (${String(type.u_height)}U)`,
    row.asset_tag && `Asset tag: ${String(row.asset_tag)}`,
    row.serial && `Serial: ${String(row.serial)}`,
    row.description && `Description: ${String(row.description)}`
  ]
  const color = String(role?.color)
  return {
    id: row.id,
    label,
    note: note.filter(Boolean).join("\n"),
    color: /^[0-9a-f]{6}$/i.test(color) ? color : usualColor,
    isHighlighted
  }
}
