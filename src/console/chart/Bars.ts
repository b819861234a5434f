/** Bars over time: what succeeded, and below it what did not. Made on the server, so that it needs no script. */
import { type Html, html } from "../Html.ts"

export interface Bar {
  readonly good: number
  readonly bad: number
}

interface Options {
  /** Pixels. */
  readonly height?: number
  readonly barWidth?: number
  /** Bars at whose begin something happened, with what. */
  readonly marks?: ReadonlyArray<{ readonly at: number; readonly label: string }>
}

/** Pixels between two bars. */
const gap = 1

/** `label` says in words what the chart shows. */
export const bars = (
  all: ReadonlyArray<Bar>,
  label: string,
  { height = 20, barWidth = 3, marks = [] }: Options = {}
): Html => {
  const step = barWidth + gap
  const width = all.length * step
  const most = Math.max(1, ...all.map(({ good, bad }) => good + bad))
  const tall = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round((count / most) * height)))
  const shape = (name: string, at: number, from: number, to: number): Html =>
    to <= from
      ? html``
      : html`<rect class="${name}" x="${at * step}" y="${height - to}" width="${barWidth}" height="${to - from}" />`
  return html`<svg
    class="spark"
    width="${width}"
    height="${height}"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${all.map(({ good, bad }, at) => html`${shape("s-bad", at, 0, tall(bad))}${shape("s-ok", at, tall(bad), tall(good + bad))}`)}${marks.map(
      ({ at, label: what }) =>
        html`<rect class="s-mark" x="${Math.max(at * step - gap, 0)}" y="0" width="2" height="${height}"
          ><title>${what}</title></rect
        >`
    )}
  </svg>`
}
