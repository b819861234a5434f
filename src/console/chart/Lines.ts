/** Lines over time on a logarithmic scale. Where a value is missing the line has a gap. */
import { type Html, html } from "../Html.ts"

/** Its values in the order of time. */
type Line = ReadonlyArray<number | undefined>

/** Pixels. */
const width = 576
const height = 96

/** Decades below the largest value that the scale shows. */
const decades = 3

/** `label` says in words what the chart shows. */
export const lines = (all: ReadonlyArray<Line>, label: string): Html => {
  const most = Math.max(1, ...all.flat().map((value) => value ?? 0))
  const y = (value: number): number => {
    const down = Math.min(Math.log10(most / Math.max(value, most / 10 ** decades)), decades)
    return Math.round((2 + (down / decades) * (height - 4)) * 10) / 10
  }
  return html`<svg
    class="lines"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${all.map(
      (values, at) =>
        html`<path class="line-${at}" fill="none" vector-effect="non-scaling-stroke" d="${pathOf(values, y)}" />`
    )}
  </svg>`
}

const pathOf = (values: Line, y: (value: number) => number): string => {
  const step = width / Math.max(values.length, 1)
  let isOpen = false
  return values
    .flatMap((value, at) => {
      const wasOpen = isOpen
      isOpen = value !== undefined
      if (value === undefined) return []
      const from = Math.round(at * step * 10) / 10
      const to = Math.round((at + 1) * step * 10) / 10
      return [`${wasOpen ? "L" : "M"}${from} ${y(value)}L${to} ${y(value)}`]
    })
    .join("")
}
