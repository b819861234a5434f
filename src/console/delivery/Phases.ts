/** The steps of an attempt as a bar and as a table. */
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"

/** In their order; `class` is that of their colour. */
const steps = [
  { name: "dns", title: "DNS", class: "p-0" },
  { name: "connect", title: "connect", class: "p-1" },
  { name: "tls", title: "TLS", class: "p-2" },
  { name: "firstByte", title: "first byte", class: "p-3" },
  { name: "body", title: "body", class: "p-4" }
] as const

const barWidth = 180

interface Segment {
  readonly title: string
  readonly class: string
  readonly millis: number
}

/** The steps that took place, after what came before the request: rendering, and waiting for a connection. */
const segmentsOf = ({ phases, duration_ms: total }: LoggedAttempt): ReadonlyArray<Segment> => {
  const known = steps.flatMap(({ name, ...step }) => {
    const millis = phases?.[name]
    return typeof millis === "number" && millis >= 0 ? [{ ...step, millis }] : []
  })
  const before = total - known.reduce((sum, { millis }) => sum + millis, 0)
  return before < 0.5 ? known : [{ title: "before the request", class: "p-5", millis: before }, ...known]
}

const sentence = (segments: ReadonlyArray<Segment>): string =>
  segments.map(({ title, millis }) => `${title} ${durationText(millis)}`).join(", ")

/** A bar as long as the attempt, beside the longest of them. */
export const phaseBar = (attempt: LoggedAttempt, longestMillis: number): Html => {
  const segments = segmentsOf(attempt)
  const scale = barWidth / Math.max(longestMillis, 1)
  let x = 0
  return html`<svg
    class="phase"
    width="${barWidth}"
    height="8"
    viewBox="0 0 ${barWidth} 8"
    preserveAspectRatio="none"
    role="img"
    aria-label="${sentence(segments)}"
  >
    <rect class="p-bg" width="${barWidth}" height="8" rx="2"></rect>
    ${segments.map((segment) => {
      const width = Math.max(segment.millis * scale, 0)
      const shown = html`<rect
        class="${segment.class}"
        x="${x.toFixed(2)}"
        width="${width.toFixed(2)}"
        height="8"
      ></rect>`
      x += width
      return shown
    })}
  </svg>`
}

export const phaseLegend = html`<div class="leg">
  ${[...steps, { title: "before the request", class: "p-5" }].map(
    ({ title, class: colour }) =>
      html`<span
        ><svg class="k" width="10" height="10" aria-hidden="true">
          <rect class="${colour}" width="10" height="10" rx="2"></rect></svg
        >${title}</span
      >`
  )}
</div>`

/** The steps in numbers: the time before the attempt, that of ours, and that of the receiver. */
export const phaseTable = (attempt: LoggedAttempt, waited: { readonly title: string; readonly millis: number }): Html =>
  html`<details class="fold-in">
    <summary>Times as a table</summary>
    <table class="table dense">
      <caption class="visually-hidden">
        Times of attempt ${attempt.number}
      </caption>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">${waited.title}</th>
          <td>${durationText(waited.millis)}</td>
        </tr>
        ${segmentsOf(attempt).map(
          ({ title, millis }) =>
            html`<tr>
              <th scope="row">${title}</th>
              <td>${durationText(millis)}</td>
            </tr>`
        )}
        <tr>
          <th scope="row">in all, without the wait</th>
          <td>${durationText(attempt.duration_ms)}</td>
        </tr>
      </tbody>
    </table>
  </details>`

/** The time that the receiver took: from the written request to the end of the answer. */
export const receiverMillis = ({ phases }: LoggedAttempt): number | undefined => {
  const { firstByte, body } = phases ?? {}
  return typeof firstByte === "number" ? firstByte + (body ?? 0) : undefined
}
