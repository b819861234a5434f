/** Deliveries over time as bars by outcome. Each bar narrows the time to its own. */
import { type Histogram, outcomes } from "../../history/log/Histogram.ts"
import { type Html, html } from "../Html.ts"
import { changed } from "../list/Query.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { timeText } from "./Asked.ts"

type Bucket = Histogram["buckets"][number]

/** Parts of a bar, from the bottom. */
const parts: ReadonlyArray<readonly [title: string, mark: string, of: ReadonlyArray<(typeof outcomes)[number]>]> = [
  ["Successful", "ok", ["successful"]],
  ["Waiting", "wait", ["queued", "sending", "retrying"]],
  ["Failed", "bad", ["failed"]],
  ["Discarded", "gone", ["discarded"]]
]

const countIn = ({ counts }: Pick<Bucket, "counts">, of: (typeof parts)[number][2]): number =>
  of.reduce((sum, outcome) => sum + counts[outcome], 0)

/** Height of the chart, and of the smallest part of a bar, which would not be seen otherwise; units of the drawing. */
const height = 100
const least = 2

export const histogramChart = (found: Histogram, query: URLSearchParams): Html => {
  const { buckets, isEstimated, stepSeconds } = found
  const sums = buckets.map(({ counts }) => outcomes.reduce((sum, outcome) => sum + counts[outcome], 0))
  const top = Math.max(...sums, 1)
  return html`<div class="hist-chart">
      <svg
        viewBox="0 0 ${buckets.length * 10} ${height}"
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        ${buckets.map((bucket, at) => bar(bucket, at, top, query))}
      </svg>
      <div class="hist-axis sub">
        ${timeOf(timeText(found.sinceMillis))}<span class="lo">${number(top)} in ${lengthOf(stepSeconds)} at most</span
        >${timeOf(timeText(found.untilMillis))}
      </div>
    </div>
    <ul class="hist-legend">
      ${parts.map(
        ([title, mark, of]) =>
          html`<li>
            <span class="hist-key h-${mark}"></span>${title}
            <b
              >${isEstimated && mark === "ok" ? `about ${number(Number(countIn({ counts: found.totals }, of).toPrecision(3)))}` : number(countIn({ counts: found.totals }, of))}</b
            >
          </li>`
      )}
    </ul>
    <details class="hist-table">
      <summary>Show as table</summary>
      <div class="table-responsive">
        <table class="table card-table dense">
          <caption class="visually-hidden">
            Deliveries over time
          </caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              ${parts.map(([title]) => html`<th scope="col">${title}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${buckets.map((bucket, at) => (sums[at] === 0 ? "" : line(bucket, query)))}
          </tbody>
        </table>
      </div>
    </details>`
}

/** The address of the deliveries of a bar. */
const narrowed = ({ sinceMillis, untilMillis }: Bucket, query: URLSearchParams): string =>
  changed(query, {
    ...{ time__gt: undefined, time__lte: undefined, offset: undefined },
    ...{ time__gte: timeText(sinceMillis), time__lt: timeText(untilMillis) }
  })

/** A link for the mouse; the table has the same links for the keyboard and for screen readers. */
const bar = (bucket: Bucket, at: number, top: number, query: URLSearchParams): Html => {
  let y = height
  const rects = parts.map(([, mark, of]) => {
    const count = countIn(bucket, of)
    if (count === 0) return html``
    const size = Math.max((count / top) * (height - parts.length * least), least)
    y -= size
    return html`<rect
      class="h-${mark}"
      x="${at * 10 + 1}"
      y="${y.toFixed(2)}"
      width="8"
      height="${size.toFixed(2)}"
    ></rect>`
  })
  return html`<a href="${narrowed(bucket, query)}" tabindex="-1"
    ><title>${sentenceOf(bucket)}</title
    ><rect class="h-hit" x="${at * 10}" y="0" width="10" height="${height}"></rect>${rects}</a
  >`
}

const sentenceOf = (bucket: Bucket): string => {
  const told = parts.flatMap(([title, , of]) => {
    const count = countIn(bucket, of)
    return count === 0 ? [] : [`${number(count)} ${title.toLowerCase()}`]
  })
  return `${timeText(bucket.sinceMillis)}: ${told.join(", ") || "none"}`
}

const line = (bucket: Bucket, query: URLSearchParams): Html =>
  html`<tr>
    <th scope="row"><a href="${narrowed(bucket, query)}">${timeOf(timeText(bucket.sinceMillis), "second")}</a></th>
    ${parts.map(([, , of]) => html`<td>${number(countIn(bucket, of))}</td>`)}
  </tr>`

const units: ReadonlyArray<readonly [name: string, seconds: number]> = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1]
]

/** 1800 -> `30 minutes`. */
export const lengthOf = (seconds: number): string => {
  const [name, size] = units.find((unit) => seconds >= unit[1]) ?? units.at(-1)!
  const count = Math.round((seconds / size) * 10) / 10
  return `${number(count)} ${name}${count === 1 ? "" : "s"}`
}
