/** The journey of a delivery as a ribbon: from the commit to the answer, or to the next attempt. */
import type { Stage } from "../../history/inspect/Journey.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { durationText } from "../value/Duration.ts"
import { icon } from "../frame/Icon.ts"
import { timeOf } from "../value/Time.ts"

const looks: Readonly<Record<Stage["stage"], readonly [title: string, icon: IconName]>> = {
  committed: ["Committed", "database"],
  captured: ["Captured from WAL", "antenna"],
  matched: ["Matched", "filter"],
  queued: ["Queued", "stack-2"],
  attempted: ["Attempt", "send"],
  next: ["Next attempt", "clock"],
  ended: ["Ended", "x"]
}

/** Most attempts that the ribbon shows: the first, and the latest. */
const attemptsMax = 3

/** `nowMillis`: the time of the page. */
export const journeyRibbon = (
  stages: ReadonlyArray<Stage>,
  nowMillis: number,
  link: (attempt: number) => string
): Html =>
  html`<section class="card journey" id="journey" aria-label="Journey of this change">
    <ol>
      ${folded(stages).map((each) => (typeof each === "number" ? gap(each) : stage(each, nowMillis, link)))}
    </ol>
  </section>`

/** The stages; attempts between the first and the latest as their number. */
const folded = (stages: ReadonlyArray<Stage>): ReadonlyArray<Stage | number> => {
  const attempts = stages.filter(({ attempt }) => attempt !== null)
  const hidden = new Set(attempts.slice(1, 1 - attemptsMax))
  if (hidden.size < 2) return stages
  return stages.flatMap((each): ReadonlyArray<Stage | number> => {
    if (!hidden.has(each)) return [each]
    return each === attempts[1] ? [hidden.size] : []
  })
}

const gap = (count: number): Html =>
  html`<li class="bad">
    <span class="jo">${icon("dots")}</span>
    <div><b>${count} attempts</b><span class="mono">in the list below</span></div>
  </li>`

const classes = { done: "ok", failed: "bad", waiting: "wait" } as const

const stage = (each: Stage, nowMillis: number, link: (attempt: number) => string): Html => {
  const [title, name] = looks[each.stage]
  const named =
    each.attempt === null ? html`${title}` : html`<a href="${link(each.attempt)}">${title} ${each.attempt}</a>`
  return html`<li class="${classes[each.state]}">
    <span class="jo">${icon(name)}</span>
    <div><b>${named}</b><span class="mono">${each.text}</span>${when(each, nowMillis)}</div>
  </li>`
}

const when = ({ stage: name, time, after_ms: after }: Stage, nowMillis: number): Html => {
  if (time === null || after === null) return html``
  if (name === "committed") return timeOf(time, "second")
  if (name !== "next") return html`<span class="when">+${durationText(after)}</span>`
  const left = Date.parse(time) - nowMillis
  return html`${timeOf(time, "second")}<span class="when">${left > 0 ? `in ${durationText(left)}` : "due"}</span>`
}
