/** A traced path as a picture. Pure. */
import { escaped, notXml, shortened } from "../../rack/Svg.ts"

interface Named {
  readonly display: string
  /** Its page. */
  readonly page: string
}

export interface End extends Named {
  /** Its device, or its power panel. */
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

const box = ({ display, page }: Named, kind: string, x: number, y: number, width: number): string =>
  linked(
    page,
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${rowHeight}" rx="4"/>` +
      `<text x="${x + width / 2}" y="${y + rowHeight / 2}">${label(display)}</text>`
  )

const row = (items: ReadonlyArray<Named>, kind: string, y: number, width: number): string => {
  const each = (width - 2 * margin) / Math.max(items.length, 1)
  return items.map((item, at) => box(item, kind, round(margin + at * each), y, round(each))).join("")
}

const round = (number: number): number => Math.round(number * 100) / 100

const line = ({ display, page, color, isConnected }: Link, y: number, width: number): string => {
  const [x, ink] = [width / 2, /^[0-9a-f]{6}$/.test(color) ? color : "606060"]
  const dashes = isConnected ? "" : ' stroke-dasharray="6 4"'
  return (
    `<line x1="${x}" y1="${y}" x2="${x}" y2="${y + linkHeight}" stroke="#${ink}" stroke-width="4"${dashes}/>` +
    linked(page, `<text class="label" x="${x + margin}" y="${y + linkHeight / 2}">${label(display)}</text>`)
  )
}

const parentsOf = (ends: ReadonlyArray<End>): ReadonlyArray<Named> => [
  ...new Map(ends.flatMap(({ parent }) => (parent === undefined ? [] : [[parent.page, parent] as const]))).values()
]

const style =
  ".parent{fill:#f0f0f0;stroke:#606060}.end{fill:#ffffff;stroke:#606060}" +
  "text{font:12px sans-serif;fill:#202020;text-anchor:middle;dominant-baseline:middle}.label{text-anchor:start}"

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
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><style>${style}</style>${parts.join("")}</svg>`
}
