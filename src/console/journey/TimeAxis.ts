/** The deliveries of a transaction on one time axis, from the commit on: when each waited, and how long attempts took. */
import type { JourneyAttempt, JourneyDelivery } from "../../history/explain/Journey.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { durationOf, scaleOf } from "./Scale.ts"

/** Most deliveries that the axis shows. */
const shownMax = 40

interface Line {
  readonly delivery: JourneyDelivery
  /** `inventory · site Oslo` */
  readonly name: string
}

/** Milliseconds since the commit; clocks of two machines may differ a little. */
const since = (commit: string, time: string): number => Math.max(0, Date.parse(time) - Date.parse(commit))

export const timeAxis = (commit: string, lines: ReadonlyArray<Line>): Html => {
  const shown = lines.slice(0, shownMax)
  const ends = shown.flatMap(({ delivery: { attempts, next_attempt: next } }) => [
    ...attempts.map(({ started, duration_ms: millis }) => since(commit, started) + millis),
    ...(next === null ? [] : [since(commit, next)])
  ])
  if (ends.length === 0) return html`<p class="note sub">Nothing was attempted yet.</p>`
  const scale = scaleOf(Math.max(...ends))
  return html`<div class="axis" id="axis">
      <div class="axis-row axis-head" aria-hidden="true">
        <span class="sub">Since the commit</span>
        <svg width="100%" height="16">
          ${scale.ticks.map(
            ({ millis, at }) =>
              html`<text
                class="axis-tick"
                x="${at}%"
                y="12"
                text-anchor="${at > 92 ? "end" : at === 0 ? "start" : "middle"}"
                >${durationOf(millis)}</text
              >`
          )}
        </svg>
      </div>
      <ul>
        ${shown.map((line) => row(line, commit, scale))}
      </ul>
    </div>
    ${lines.length > shownMax ? html`<p class="note sub">And ${number(lines.length - shownMax)} more deliveries.</p>` : ""}
    <p class="note sub">
      A bar is an attempt, red where the receiver did not take it; a line is waiting; a ring is the next attempt.
    </p>
    <details class="why-more">
      <summary>Show as table</summary>
      ${asTable(shown, commit)}
    </details>`
}

type Scale = ReturnType<typeof scaleOf>

const isGood = ({ reason, response_status: status }: JourneyAttempt): boolean =>
  reason === "" && status !== null && status < 300

const row = ({ delivery, name }: Line, commit: string, scale: Scale): Html => {
  const { attempts, next_attempt: next, id, status } = delivery
  const placed = attempts.map((attempt) => {
    const begin = since(commit, attempt.started)
    return { attempt, begin, end: begin + attempt.duration_ms }
  })
  const last = placed.at(-1)?.end ?? 0
  const waits = [...placed.map(({ begin }, at) => [placed[at - 1]?.end ?? 0, begin] as const)]
  if (next !== null) waits.push([last, since(commit, next)])
  return html`<li class="axis-row">
    <a href="/extras/deliveries/${id}/">${name}</a>
    <svg width="100%" height="16" role="img" aria-label="${sentence(name, status, placed, next, commit)}">
      ${scale.ticks.map(({ at }) => html`<line class="axis-grid" x1="${at}%" x2="${at}%" y1="0" y2="16" />`)}
      ${waits.map(([from, to]) => bar("axis-wait", scale.at(from), scale.at(to), 7, 2))}
      ${placed.map(({ attempt, begin, end }) => bar(isGood(attempt) ? "axis-ok" : "axis-bad", scale.at(begin), scale.at(end), 3, 10))}
      ${next === null ? "" : html`<circle class="axis-next" cx="${Math.min(scale.at(since(commit, next)), 99)}%" cy="8" r="4" />`}
    </svg>
  </li>`
}

/** A bar is wide enough to be seen. */
const bar = (look: string, from: number, to: number, y: number, height: number): Html => {
  const begin = Math.min(from, 99.2)
  return html`<rect
    class="${look}"
    x="${begin}%"
    y="${y}"
    width="${Math.max(to - begin, 0.8)}%"
    height="${height}"
    rx="1"
  />`
}

const sentence = (
  name: string,
  status: string,
  placed: ReadonlyArray<{ readonly attempt: JourneyAttempt; readonly begin: number }>,
  next: string | null,
  commit: string
): string => {
  const each = placed.map(
    ({ attempt, begin }) =>
      `attempt ${attempt.number} after ${durationOf(begin)}, ${durationOf(attempt.duration_ms)}, ${answerOf(attempt)}`
  )
  const rest = next === null ? [] : [`the next one after ${durationOf(since(commit, next))}`]
  return `${name}: ${status}; ${[...each, ...rest].join("; ")}`
}

const answerOf = ({ response_status: status, reason }: JourneyAttempt): string =>
  status === null ? (reason === "" ? "no answer" : reason) : `${status}`

const asTable = (lines: ReadonlyArray<Line>, commit: string): Html =>
  html`<div class="table-responsive">
    <table class="table dense">
      <caption class="visually-hidden">
        Attempts
      </caption>
      <thead>
        <tr>
          <th scope="col">Delivery</th>
          <th scope="col">Attempt</th>
          <th scope="col">Begun</th>
          <th scope="col">After the commit</th>
          <th scope="col">Took</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        ${lines.flatMap(({ name, delivery: { attempts } }) =>
          attempts.map(
            (attempt) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${attempt.number}</td>
                <td>${timeOf(attempt.started, "second")}</td>
                <td>${durationOf(since(commit, attempt.started))}</td>
                <td>${durationOf(attempt.duration_ms)}</td>
                <td>${answerOf(attempt)}</td>
              </tr>`
          )
        )}
      </tbody>
    </table>
  </div>`
