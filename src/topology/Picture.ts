/**
 * Devices, lines and their places -> SVG. Its colours are attributes, for screens without our styles and for files; on a
 * page the styles of the theme take their place, by the classes. Pure.
 */
import { element, escaped, shortened, shortenedTo } from "../rack/Svg.ts"
import type { DrawnDevice, Line } from "./Devices.ts"
import { type Box, type Layout, type Point, nodeSize, titleHeight } from "./Layout.ts"

export interface Drawn {
  readonly layout: Layout
  readonly devices: ReadonlyArray<DrawnDevice>
  readonly lines: ReadonlyArray<Line>
  /** The title of a group by its key; "" for none. */
  readonly titleOf: (group: string) => string
  /** The address before the paths of pages. */
  readonly base: string
}

const ink = "#1f2933"
const muted = "#52606d"
const paper = "#ffffff"
const ground = "#f3f5f8"
const stroke = "#7b8794"
const usualColor = "9e9e9e"

/** Most characters of texts, whatever plain SQL has stored. */
const noteMax = 300

/** Pixels. */
const fontSize = 12

/** Widths of a label and of the title of a box, in ems. */
const labelWidth = (nodeSize.width - 14) / fontSize
const titleWidthOf = ({ width }: Box): number => (width - 24) / fontSize

/** The parts of the picture, one after the other; every part is short work. */
export const pieces = (drawn: Drawn): ReadonlyArray<() => string> => [
  ...drawn.layout.boxes.map((box) => () => boxDrawn(drawn, box)),
  ...lineParts(drawn),
  ...drawn.devices.map((device) => () => nodeDrawn(drawn, device))
]

/** The whole picture. `content`: the pieces, drawn. */
export const framed = ({ layout: { width, height } }: Drawn, content: ReadonlyArray<string>): string =>
  element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      ...{
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        "font-family": "Inter, sans-serif",
        "font-size": fontSize
      },
      ...{ role: "group", "aria-label": "Devices and the cables between them" }
    },
    `<defs><clipPath id="node-clip"><rect x="${-nodeSize.width / 2 + 8}" y="${-nodeSize.height / 2}" width="${nodeSize.width - 10}" height="${nodeSize.height}"/></clipPath></defs>`,
    element("rect", { class: "paper", width, height, fill: paper }),
    ...content
  )

const boxDrawn = ({ titleOf }: Drawn, box: Box): string => {
  const title = titleOf(box.group)
  if (title === "") return ""
  const { x, y, width, height } = box
  return (
    element("rect", { class: "box", x, y, width, height, rx: 10, fill: ground }) +
    element(
      "text",
      {
        class: "box-title halo",
        x: x + 14,
        y: y + titleHeight / 2 + 6,
        "font-weight": 650,
        ...halo(ground),
        fill: muted
      },
      escaped(shortenedTo(title, titleWidthOf(box)))
    )
  )
}

/** A margin around letters, so that they can be read above lines. */
const halo = (color: string) => ({
  stroke: color,
  "stroke-width": 4,
  "paint-order": "stroke",
  "stroke-linejoin": "round"
})

const lineParts = ({ lines, layout: { places }, devices, base }: Drawn): ReadonlyArray<() => string> => {
  const labels = new Map(devices.map(({ id, label }) => [id, label]))
  return lines.flatMap((line) => {
    const [from, to] = [places.get(line.a), places.get(line.b)]
    return from === undefined || to === undefined
      ? []
      : [() => lineDrawn(line, from, to, `${labels.get(line.a)} and ${labels.get(line.b)}`, base)]
  })
}

/**
 * Curved a little, so that lines between the same rows lie apart, those of wireless links to the other side; `topology.js` draws the same
 * when a device is moved.
 */
const curve = (a: Point, b: Point, isWireless: boolean): { readonly path: string; readonly middle: Point } => {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const by = isWireless ? -0.12 : 0.12
  const bend = { x: (a.x + b.x) / 2 - dy * by, y: (a.y + b.y) / 2 + dx * by }
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    path: `M${a.x} ${a.y}Q${round(bend.x)} ${round(bend.y)} ${b.x} ${b.y}`,
    middle: { x: round((a.x + b.x + 2 * bend.x) / 4), y: round((a.y + b.y + 2 * bend.y) / 4) }
  }
}

const lineDrawn = (line: Line, a: Point, b: Point, ends: string, base: string): string => {
  const { count, cables, isWireless } = line
  const { path, middle } = curve(a, b, isWireless)
  const list = `${base}${isWireless ? "/wireless/wireless-links/" : "/dcim/cables/"}`
  const [one, many] = isWireless ? ["Wireless link", "wireless links"] : ["Cable", "cables"]
  const href = count === 1 ? `${list}${cables[0]}/` : `${list}?${cables.map((id) => `id=${id}`).join("&")}`
  const width = Math.min(1.2 + Math.log2(count) * 0.8, 5)
  return element(
    "a",
    {
      ...{ class: "line", href, tabindex: -1, "data-a": line.a, "data-b": line.b },
      ...(isWireless && { "data-wireless": "" })
    },
    titleOf(`${count === 1 ? one : `${count} ${many}`} between ${ends}${statusWords(line)}`),
    element("path", { class: "reach", d: path, fill: "none", stroke: "transparent", "stroke-width": 10 }),
    element("path", {
      ...{ class: "cable", d: path, fill: "none", stroke, "stroke-width": Math.round(width * 10) / 10 },
      ...dashes(line)
    }),
    count === 1
      ? ""
      : element(
          "text",
          {
            ...{
              class: "count halo",
              x: middle.x,
              y: middle.y,
              "text-anchor": "middle",
              "dominant-baseline": "central"
            },
            ...{ "font-size": 11, "font-weight": 650, ...halo(paper), fill: ink }
          },
          `${count}`
        )
  )
}

/** Dashes of lines that are not whole, by their kind. */
export const dashesOf = { planned: "7 5", decommissioning: "2 4", wireless: "12 4 2 4" }

/**
 * Lines of planned cables are dashed, and of those that are being removed dotted; one connected cable makes it whole. Lines
 * of wireless links are always dashed, with a dot in between.
 */
const dashes = ({ connected, planned, isWireless }: Line) => {
  if (isWireless) return { "stroke-dasharray": dashesOf.wireless }
  return connected > 0 ? {} : { "stroke-dasharray": planned > 0 ? dashesOf.planned : dashesOf.decommissioning }
}

const statusWords = ({ count, connected, planned }: Line): string => {
  const parts = [
    ...(connected > 0 ? [`${connected} connected`] : []),
    ...(planned > 0 ? [`${planned} planned`] : []),
    ...(count > connected + planned ? [`${count - connected - planned} decommissioning`] : [])
  ]
  return `: ${parts.join(", ")}`
}

const titleOf = (text: string): string => element("title", {}, escaped(shortened(text, noteMax)))

/** Borders of devices that are not in use yet, or any more. */
const unused: ReadonlySet<string> = new Set(["planned", "staged", "inventory", "decommissioning", "offline"])

const nodeDrawn = ({ layout, base }: Drawn, { id, label, status, role }: DrawnDevice): string => {
  const place = layout.places.get(id)
  if (place === undefined) return ""
  const { width, height } = nodeSize
  const [x, y] = [-width / 2, -height / 2]
  const color = role !== null && /^[0-9a-f]{6}$/i.test(role[2]) ? role[2] : usualColor
  return element(
    "a",
    {
      ...{ class: `node ${status === "failed" ? "failed" : ""}`.trim(), href: `${base}/dcim/devices/${id}/` },
      ...{ "data-id": id, transform: `translate(${place.x} ${place.y})` }
    },
    titleOf(`${label}${role === null ? "" : `, ${role[1]}`}, ${status}`),
    element("rect", {
      ...{ class: "body", x, y, width, height, rx: 6, fill: paper, stroke: status === "failed" ? "#b3261e" : stroke },
      ...(unused.has(status) && { "stroke-dasharray": "4 3" })
    }),
    element("rect", { x: x + 3, y: y + 4, width: 4, height: height - 8, rx: 2, fill: `#${color}` }),
    element(
      "text",
      { x: 3, "text-anchor": "middle", "dominant-baseline": "central", "clip-path": "url(#node-clip)", fill: ink },
      escaped(shortenedTo(label, labelWidth))
    )
  )
}
