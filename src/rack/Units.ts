/**
 * The half units of a rack, and the device and the reservation at each. Pure.
 *
 * A position is a number of units with halves: unit 42 has the half units 42 and 42.5.
 */
export type Face = "front" | "rear"

/** A rack, as far as its units are concerned. */
export interface Frame {
  /** Whole units. */
  readonly height: number
  /** Whether units are numbered from top to bottom. */
  readonly isDescending: boolean
}

/** The units that a device takes wherever it is mounted. */
export interface Extent {
  /** Units, with halves. */
  readonly height: number
  readonly isFullDepth: boolean
}

/** A device with a position in a rack. */
export interface Mounted extends Extent {
  readonly id: number
  /** The lowest position that it takes. */
  readonly position: number
  readonly face: Face
}

/** A reservation of whole units. */
export interface Reserved {
  readonly id: number
  readonly units: ReadonlyArray<number>
}

export interface HalfUnit {
  readonly position: number
  /** `U42`, `U42.5`. */
  readonly name: string
  readonly device: Mounted | undefined
  /** Id of the reservation. */
  readonly reservation: number | undefined
}

/** The size of a half unit, in units. */
export const half = 0.5

/** Every half unit once, from the top of the rack to its bottom. A device of full depth is at both faces. */
export const halfUnits = (
  { height, isDescending }: Frame,
  devices: ReadonlyArray<Mounted>,
  reservations: ReadonlyArray<Reserved>,
  face: Face
): ReadonlyArray<HalfUnit> => {
  const taken = new Map<number, Mounted>()
  for (const device of devices) {
    if (device.face !== face && !device.isFullDepth) continue
    for (const position of positionsOf(device)) taken.set(position, device)
  }
  const reserved = new Map(reservations.flatMap(({ id, units }) => units.map((unit) => [unit, id] as const)))
  const units = Array.from({ length: height / half }, (_, at): HalfUnit => {
    const position = 1 + at * half
    return {
      position,
      name: `U${position}`,
      device: taken.get(position),
      reservation: reserved.get(Math.floor(position))
    }
  })
  return isDescending ? units : units.toReversed()
}

/** The half units that a device is in, also where plain SQL has put it between two. */
const positionsOf = ({ position, height }: Mounted): ReadonlyArray<number> => {
  const [from, to] = [Math.floor(position / half), Math.ceil((position + height) / half)]
  return Array.from({ length: to - from }, (_, at) => (from + at) * half)
}

export const otherFace = (face: Face): Face => (face === "front" ? "rear" : "front")

/** The half units that devices take at a face, each by its position, in their order. */
export const takenAt = (frame: Frame, devices: ReadonlyArray<Mounted>, face: Face): ReadonlyArray<number> =>
  halfUnits(frame, devices, [], face)
    .filter(({ device }) => device !== undefined)
    .map(({ position }) => position)
    .sort((a, b) => a - b)

/**
 * The positions at which a device fits at a face beside these devices, from below: at whole units, and between two only
 * where a device of half a unit makes a difference.
 */
export const freePositions = (
  frame: Frame,
  others: ReadonlyArray<Mounted>,
  { height, isFullDepth }: Extent,
  face: Face
): ReadonlyArray<number> => {
  if (height === 0) return []
  const behind = isFullDepth ? takenAt(frame, others, otherFace(face)) : []
  const taken = new Set([...takenAt(frame, others, face), ...behind])
  const isSplit = (unit: number) => taken.has(unit) !== taken.has(unit + half)
  const hasHalves = height % 1 !== 0 || [...taken].some((position) => isSplit(Math.floor(position)))
  const step = hasHalves ? half : 1
  const count = Math.max(Math.floor((frame.height - height) / step) + 1, 0)
  return Array.from({ length: count }, (_, at) => 1 + at * step).filter((position) =>
    Array.from({ length: height / half }, (_, at) => position + at * half).every((unit) => !taken.has(unit))
  )
}

/** The share of half units that a device of any face takes or that are reserved, in percent. */
export const utilization = (
  frame: Frame,
  devices: ReadonlyArray<Mounted>,
  reservations: ReadonlyArray<Reserved>
): number => {
  const anyFace = devices.map((device) => ({ ...device, isFullDepth: true }))
  const units = halfUnits(frame, anyFace, reservations, "front")
  const used = units.filter(({ device, reservation }) => device !== undefined || reservation !== undefined)
  return (used.length / units.length) * 100
}
