/** The picture of one face of a rack: units as they are (Units.ts) -> SVG on white, for screens and paper. Pure. */
import { element, escaped, readableOn, shortened, shortenedTo } from "./Svg.ts"
import { type Extent, type Face, type Frame, type HalfUnit, half } from "./Units.ts"

/** Pixels. */
export interface Size {
  readonly unitWidth: number
  readonly unitHeight: number
  /** The column of unit numbers, and that of reservations. */
  readonly legendWidth: number
  readonly marginWidth: number
}

export const usualSize: Size = { unitWidth: 220, unitHeight: 22, legendWidth: 30, marginWidth: 15 }

/** A device that the reader may view. */
export interface ShownDevice {
  readonly id: number
  readonly label: string
  /** More about it, shown when a reader points at it. */
  readonly note: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly isHighlighted: boolean
}

/** A device that the reader may move, as the script that moves it reads it. */
interface Handle extends Extent {
  readonly position: number
  /** The ETag of the device: a move is refused if somebody else has changed it. */
  readonly version: string
}

export interface Moves {
  /** By the id of the device; none in a rack that devices of other racks may be moved to. */
  readonly handles: ReadonlyMap<number, Handle>
  /** The half units that are taken at this face, and at the other one. */
  readonly taken: ReadonlyArray<number>
  readonly behind: ReadonlyArray<number>
}

export interface Elevation {
  readonly rack: { readonly id: number; readonly name: string; readonly site: number; readonly location: number | null }
  readonly frame: Frame
  readonly face: Face
  readonly units: ReadonlyArray<HalfUnit>
  /** The devices that the reader may view, by id. Others are drawn as units that are occupied. */
  readonly devices: ReadonlyMap<number, ShownDevice>
  /** The descriptions of the reservations that the reader may view, by id. */
  readonly reservations: ReadonlyMap<number, string>
  readonly size: Size
  /** The address before the paths of pages. */
  readonly base: string
  /** Whether free units lead to the form of a new device. */
  readonly canAdd: boolean
  /** Absent where the reader may move no device. */
  readonly moves?: Moves | undefined
}

/** Pixels around the units. */
const border = 2

/** Most characters of a label and of a note, whatever plain SQL has stored. */
const labelMax = 100
const noteMax = 1_000

/**
 * Without a stylesheet a picture is dark on white. The console has the classes in the colours of its theme
 * (console/asset/style/rack.css); devices have the colour of their role in each.
 */
const paper = { class: "paper", fill: "#ffffff" }
const ink = "#1f2933"
const line = "#9aa5b1"
const highlight = "#d97706"

export const drawElevation = (elevation: Elevation): string => {
  const { rack, frame, face, units, size } = elevation
  const ids = patterns(elevation)
  const width = size.legendWidth + size.unitWidth + size.marginWidth + 2 * border
  const height = size.unitHeight * frame.height + 2 * border
  const title = `${face === "front" ? "Front" : "Rear"} of rack ${shortened(rack.name, labelMax)}`
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      ...{ width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" },
      ...{ "font-size": fontSize(size), role: "group", "aria-label": title },
      ...movesOf(elevation)
    },
    `<defs>${hatching(ids.opposite, "opposite", "#e4e7eb", "#9aa5b1")}${hatching(ids.reserved, "reserved", "#fef3c7", "#b7791f")}</defs>`,
    element("rect", { width, height, ...paper }),
    ...legend(elevation),
    ...runsOf(units, (unit) => placeOf(elevation, unit)).map((run) => place(elevation, run)),
    ...runsOf(units, ({ reservation }) => reservation ?? "").map((run) => reservation(elevation, run)),
    element("rect", {
      ...{ x: border + size.legendWidth, y: border, width: size.unitWidth, height: size.unitHeight * frame.height },
      ...{ class: "edge", fill: "none", stroke: ink, "stroke-width": border }
    })
  )
}

/** Pixels. */
const fontSize = ({ unitHeight }: Size): number => Math.min(13, Math.floor(unitHeight * 0.6))

/** The frame and the taken units, for the script that moves devices (console/asset/script/rack-move.js). */
const movesOf = ({ rack, frame, face, size, moves }: Elevation): Attributes =>
  moves === undefined
    ? {}
    : {
        ...{ "data-rack": rack.id, "data-face": face, "data-height": frame.height },
        ...{ "data-descending": `${frame.isDescending}`, "data-unit": size.unitHeight, "data-top": border },
        ...{ "data-left": border + size.legendWidth, "data-width": size.unitWidth },
        ...{ "data-taken": moves.taken.join(" "), "data-behind": moves.behind.join(" ") }
      }

/** Ids, which differ from those of other faces: a page may have several. */
const patterns = ({ rack, face }: Pick<Elevation, "rack" | "face">) => ({
  opposite: `opposite-${face}-${rack.id}`,
  reserved: `reserved-${face}-${rack.id}`
})

const hatching = (id: string, kind: string, ground: string, stroke: string): string =>
  `<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
  `<rect class="${kind}" width="8" height="8" fill="${ground}"/><path d="M0 0V8" stroke="${stroke}" stroke-width="2"/></pattern>`

const legend = ({ frame, units, size }: Elevation): ReadonlyArray<string> =>
  size.legendWidth === 0
    ? []
    : units
        .filter(({ position }) => Number.isInteger(position))
        .map(({ position }) => {
          const y = topOf(frame, size, position, 1) + size.unitHeight / 2
          return text(`${position}`, border + size.legendWidth / 2, y, "#52606d", "unit")
        })

const text = (content: string, x: number, y: number, fill: string, kind: string): string =>
  element(
    "text",
    { class: kind, x, y, fill, "text-anchor": "middle", "dominant-baseline": "central" },
    escaped(content)
  )

/** The pixel where a height from this position on begins: units are numbered from below, or from above. */
const topOf = ({ height, isDescending }: Frame, { unitHeight }: Size, position: number, taken: number): number =>
  border + unitHeight * (isDescending ? position - 1 : height + 1 - position - taken)

/** Half units in a row that have the same key. */
interface Run {
  readonly key: string | number
  readonly lowest: HalfUnit
  /** Units, with halves. */
  readonly height: number
}

const runsOf = (units: ReadonlyArray<HalfUnit>, keyOf: (unit: HalfUnit) => string | number): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (const unit of [...units].sort((a, b) => a.position - b.position)) {
    const last = runs.at(-1)
    const key = keyOf(unit)
    if (last?.key === key) runs[runs.length - 1] = { ...last, height: last.height + half }
    else runs.push({ key, lowest: unit, height: half })
  }
  return runs
}

const hidden = "hidden"

/** A device by its id; `hidden` for devices that may not be shown, also where two of them meet; free units by number. */
const placeOf = ({ devices }: Elevation, { device, position }: HalfUnit): string | number =>
  device === undefined ? `free ${Math.floor(position)}` : devices.has(device.id) ? device.id : hidden

const place = (elevation: Elevation, run: Run): string => {
  const { frame, face, size, devices, base, moves } = elevation
  const { device } = run.lowest
  const box = {
    ...{ x: border + size.legendWidth, y: topOf(frame, size, run.lowest.position, run.height) },
    ...{ width: size.unitWidth, height: size.unitHeight * run.height }
  }
  const drawn = (fill: string) => element("rect", { ...box, fill, stroke: line })
  if (device === undefined) return free(elevation, run, element("rect", { ...box, ...paper, stroke: line }))
  const shown = devices.get(device.id)
  const hatched = `url(#${patterns(elevation).opposite})`
  if (shown === undefined) return drawn(hatched)
  const isOwn = device.face === face
  const fill = isOwn ? `#${shown.color}` : hatched
  const handle = isOwn ? moves?.handles.get(shown.id) : undefined
  const besideGrip = size.unitWidth - (handle === undefined ? 4 : 2 * gripWidth)
  const label = shortenedTo(shown.label, besideGrip / fontSize(size))
  const ring = { ...box, x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2 }
  return link(
    { href: `${base}/dcim/devices/${shown.id}/`, ...handleOf(shown, handle) },
    shown.note,
    drawn(fill),
    shown.isHighlighted ? element("rect", { ...ring, fill: "none", stroke: highlight, "stroke-width": 3 }) : "",
    text(
      label,
      box.x + box.width / 2,
      box.y + box.height / 2,
      isOwn ? `#${readableOn(shown.color)}` : ink,
      isOwn ? "own" : "ink"
    ),
    handle === undefined ? "" : grip(box.x + 7, box.y + box.height / 2, `#${readableOn(shown.color)}`)
  )
}

const handleOf = ({ id, label }: ShownDevice, handle: Handle | undefined): Attributes =>
  handle === undefined
    ? {}
    : {
        ...{ class: "movable", "data-move": id, "data-label": shortened(label, labelMax), "aria-keyshortcuts": "m" },
        ...{ "data-position": handle.position, "data-units": handle.height, "data-deep": `${handle.isFullDepth}` },
        "data-version": handle.version
      }

/** Pixels. */
const gripWidth = 16

/** Two columns of three dots, by which a device is dragged. */
const grip = (x: number, y: number, fill: string): string => {
  const dots = [-4, 0, 4].flatMap((down) => [0, 4].map((right) => `M${x + right} ${y + down - 1}h2v2h-2z`))
  return element("path", { class: "grip", d: dots.join(""), fill, "fill-opacity": 0.65 })
}

type Attributes = Readonly<Record<string, string | number>>

const link = (attributes: Attributes, title: string, ...content: ReadonlyArray<string>): string =>
  element("a", { ...attributes, target: "_parent" }, titleOf(title), ...content)

const titleOf = (title: string): string => element("title", {}, escaped(shortened(title, noteMax)))

const free = ({ rack, face, base, canAdd }: Elevation, { lowest: { position, name } }: Run, drawn: string): string => {
  if (!canAdd) return drawn
  const location = rack.location === null ? {} : { location: `${rack.location}` }
  const place = { site: `${rack.site}`, ...location, rack: `${rack.id}`, face, position: `${position}` }
  const href = `${base}/dcim/devices/add/?${new URLSearchParams(place)}`
  // For pointers alone: a rack would have a hundred stops of the tabulator key.
  return element("a", { href, target: "_parent", tabindex: -1 }, titleOf(`Add a device at ${name}`), drawn)
}

const reservation = (elevation: Elevation, { key, lowest, height }: Run): string => {
  const { frame, size, reservations, base } = elevation
  const about = typeof key === "number" ? reservations.get(key) : undefined
  if (about === undefined || size.marginWidth === 0) return ""
  const box = {
    ...{ x: border + size.legendWidth + size.unitWidth, y: topOf(frame, size, lowest.position, height) },
    ...{ width: size.marginWidth, height: size.unitHeight * height }
  }
  const href = `${base}/dcim/rack-reservations/${key}/`
  return link({ href }, about, element("rect", { ...box, fill: `url(#${patterns(elevation).reserved})`, stroke: line }))
}
