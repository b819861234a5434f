/** The attempts of a delivery, the newest first; each leads to its exchange. */
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { answerCode, answerPhrase, isAccepted } from "./Outcome.ts"
import { phaseBar, phaseLegend, receiverMillis } from "./Phases.ts"

interface ListParts {
  readonly attempts: ReadonlyArray<LoggedAttempt>
  /** How many there are; the list has the newest. */
  readonly count: number
  readonly selected: number | undefined
  /** Time of the commit, and of the page, milliseconds since 1970. */
  readonly committedMillis: number
  readonly nowMillis: number
  /** Whether the delivery is a test or a replay, and so begins long after the commit. */
  readonly isRepeated: boolean
  /** When the next one begins; undefined if there is none, or nobody knows. */
  readonly next: string | undefined
  /** The reason why the next one does not begin although it is due; undefined if there is none. */
  readonly held: string | undefined
  readonly link: (attempt: number) => string
}

export const attemptList = (listed: ListParts): Html => {
  const { attempts, count, next, held, nowMillis, link, selected } = listed
  const longest = Math.max(...attempts.map((each) => each.duration_ms))
  const newest = attempts.toReversed()
  return html`<section class="card" id="attempts" aria-labelledby="h-attempts">
    <div class="ch">
      <h2 id="h-attempts">Attempts</h2>
      <span class="sub">${number(count)}${count > attempts.length ? `, the newest ${attempts.length} here` : ""}</span>
    </div>
    <ol class="att" reversed>
      ${next === undefined ? "" : nextOne(next, held, nowMillis, attempts.at(-1))}
      ${newest.map((attempt) => line(attempt, waitedBefore(attempt, listed), longest, { link, selected }))}
    </ol>
    ${count === 0 ? html`<p class="note sub">It was not attempted yet.</p>` : phaseLegend}
  </section>`
}

interface Wait {
  readonly title: string
  readonly millis: number
  readonly text: string
}

/** The wait of an attempt before it began, and since when. */
export const waitedBefore = (
  { number: n, started }: LoggedAttempt,
  { attempts, committedMillis, isRepeated }: Pick<ListParts, "attempts" | "committedMillis" | "isRepeated">
): Wait => {
  const before = attempts.find((each) => each.number === n - 1)
  const from = before === undefined ? committedMillis : Date.parse(before.started) + before.duration_ms
  const millis = Math.max(Date.parse(started) - from, 0)
  if (n > 1) return { title: "since the attempt before", millis, text: `waited ${durationText(millis)}` }
  if (isRepeated) return { title: "since the change", millis, text: `${durationText(millis)} after the change` }
  return { title: "captured, matched, in the queue", millis, text: `waited ${durationText(millis)}` }
}

const nextOne = (next: string, held: string | undefined, nowMillis: number, last: LoggedAttempt | undefined): Html => {
  const left = Date.parse(next) - nowMillis
  const wish = last?.response_headers.find(({ name }) => name.toLowerCase() === "retry-after")?.value
  return html`<li class="next">
    <span class="ln"></span>
    <div class="ac">
      <div class="r1">
        <span class="code code-wait">next</span><b>${timeOf(next, "second")}</b>
        <span class="sub"
          >${left > 0 ? `in ${durationText(left)}` : (held ?? "due: under way, or about to begin")}${wish === undefined ? "" : `; the receiver sent Retry-After ${wish.slice(0, 40)}`}</span
        >
      </div>
    </div>
  </li>`
}

const line = (
  attempt: LoggedAttempt,
  waited: Wait,
  longest: number,
  { link, selected }: Pick<ListParts, "link" | "selected">
): Html => {
  const isSelected = attempt.number === selected
  const own = receiverMillis(attempt)
  return html`<li class="${isAccepted(attempt) ? "good" : "bad"} ${isSelected ? "sel" : ""}">
    <span class="ln"></span>
    <a class="ac" href="${link(attempt.number)}" ${isSelected ? html` aria-current="true"` : ""}>
      <span class="r1">${answerCode(attempt)}<b>${answerPhrase(attempt).slice(0, 200)}</b></span>
      ${phaseBar(attempt, longest)}
      <span class="r2"
        ><span>#${attempt.number}</span
        >${timeOf(attempt.started, "second")}<span>${durationText(attempt.duration_ms)}</span>${own === undefined ? "" : html`<span>receiver ${durationText(own)}</span>`}<span
          title="${waited.title}"
          >${waited.text}</span
        ></span
      >
    </a>
  </li>`
}
