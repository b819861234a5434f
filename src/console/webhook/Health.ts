/** A webhook's health and last answer in words and colour. */
import type { Health } from "../../history/health/Healths.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "../frame/Icon.ts"
import { bars } from "../chart/Bars.ts"

interface Look {
  readonly dot: "ok" | "warn" | "bad" | "off"
  readonly icon?: IconName
}

/** The colour, and the icon of a webhook that needs attention or sends nothing. */
const lookOf = ({ state, needsLook, paused, day }: Health): Look => {
  if (state === "stopped") return { dot: "off", icon: "ban" }
  if (paused) return { dot: "off", icon: "player-pause" }
  if (needsLook) return { dot: state === "failing" ? "bad" : "warn", icon: "alert-triangle" }
  return { dot: day.attempts === 0 ? "off" : "ok" }
}

/** Beside a name: its colour. The word is in `stateLabel`. */
export const stateDot = (health: Health): Html =>
  html`<span class="dot ${lookOf(health).dot}" title="${health.sentence}"></span>`

/** The health as a word, with the pause beside it. */
export const stateLabel = (health: Health): Html => {
  const { dot, icon: name } = lookOf(health)
  const paused = health.paused && health.state !== "stopped" ? ", paused" : ""
  return html`<span class="lbl lbl-${dot}">${name === undefined ? "" : icon(name)}${health.state}${paused}</span>`
}

/** The last 24 hours as bars. */
export const dayBars = ({ hours, day }: Health): Html => {
  const failed = day.attempts - day.delivered
  const label = `Attempts by the hour, last 24 hours: ${day.attempts} made, ${failed} not taken`
  return bars(
    hours.map(({ attempts, delivered }) => ({ good: delivered, bad: attempts - delivered })),
    label
  )
}

/** `200`, or a word: `Timeout`. */
export const answerCode = (answer: string): Html =>
  html`<span class="code ${/^2\d\d$/.test(answer) ? "code-ok" : "code-bad"}">${answer}</span>`
