/** A traced path as a picture. Colours and places are attributes, as in rack/Svg.ts. Pure. */
import { escaped, notXml, shortened } from "../../rack/Svg.ts"

interface Named {
  readonly display: string
  /** Its page. */
  readonly page: string
}

export interface End extends Named {
  /** Its device, its power panel or its circuit. */
  readonly parent: Named | undefined
}

interface Link extends Named {
  /** Six hexadecimal digits; anything else is drawn in grey. */
  readonly color: string
  readonly isConnected: boolean
}

export interface Segment {
  readonly near: ReadonlyArray<End>
  readonly link: Link | undefined
  readonly far: ReadonlyArray<End>
}

/** Height of a row of boxes and of a cable, pixels. */
const rowHeight = 32
const linkHeight = 88
const margin = 10

/** Longest text in a box, characters. */
const textCharsMax = 100

const label = (text: string): string => escaped(shortened(text.replaceAll(notXml, ""), textCharsMax))

const linked = (page: string, body: string): string => `<a href="${escaped(page)}" target="_top">${body}</a>`

const text = (x: number, y: number, anchor: "start" | "middle", content: string): string =>
  `<text x="${x}" y="${y}" fill="#202020" text-anchor="${anchor}" dominant-baseline="central">${label(content)}</text>`

/** The colours of boxes. */
const fills = { parent: "#f0f0f0", end: "#ffffff" }

type Kind = keyof typeof fills

const box = ({ display, page }: Named, kind: Kind, x: number, y: number, width: number): string =>
  linked(
    page,
    `<rect x="${x}" y="${y}" width="${width}" height="${rowHeight}" rx="4" fill="${fills[kind]}" stroke="#606060"/>` +
      text(x + width / 2, y + rowHeight / 2, "middle", display)
  )

const row = (items: ReadonlyArray<Named>, kind: Kind, y: number, width: number): string => {
  const each = (width - 2 * margin) / Math.max(items.length, 1)
  return items.map((item, at) => box(item, kind, round(margin + at * each), y, round(each))).join("")
}

const round = (number: number): number => Math.round(number * 100) / 100

const line = ({ display, page, color, isConnected }: Link, y: number, width: number): string => {
  const [x, ink] = [width / 2, /^[0-9a-f]{6}$/.test(color) ? color : "606060"]
  const dashes = isConnected ? "" : ' stroke-dasharray="6 4"'
  return (
    `<line x1="${x}" y1="${y}" x2="${x}" y2="${y + linkHeight}" stroke="#${ink}" stroke-width="4"${dashes}/>` +
    linked(page, text(x + margin, y + linkHeight / 2, "start", display))
  )
}

const parentsOf = (ends: ReadonlyArray<End>): ReadonlyArray<Named> => [
  ...new Map(ends.flatMap(({ parent }) => (parent === undefined ? [] : [[parent.page, parent] as const]))).values()
]

/** Draws a segment in each step: a path may have thousands of ends. */
export function* traceSvg(segments: ReadonlyArray<Segment>, width: number): Generator<void, string> {
  const parts: Array<string> = []
  let y = margin
  const add = (part: string, height: number) => {
    if (part === "") return
    parts.push(part)
    y += height
  }
  for (const [at, { near, link, far }] of segments.entries()) {
    // The parents of later near ends are those of the far ends before them.
    if (at === 0) add(row(parentsOf(near), "parent", y, width), rowHeight)
    add(row(near, "end", y, width), rowHeight)
    if (link !== undefined) add(line(link, y, width), linkHeight)
    add(row(far, "end", y, width), rowHeight)
    add(row(parentsOf(far), "parent", y, width), rowHeight)
    yield
  }
  const height = y + margin
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="group" aria-label="Path">${parts.join("")}</svg>`
}
