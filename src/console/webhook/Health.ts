/** A webhook's health and last answer in words and colour. */
import type { Health } from "../../history/health/Healths.ts"
import type { HealthState } from "../../history/health/WebhookHealth.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "../frame/Icon.ts"
import { bars } from "../chart/Bars.ts"

/** The colour of a state, and the icon of one that deserves a look. */
const looks: Readonly<Record<HealthState, { readonly dot: string; readonly icon?: IconName }>> = {
  healthy: { dot: "ok" },
  degraded: { dot: "warn", icon: "alert-triangle" },
  failing: { dot: "bad", icon: "alert-triangle" },
  paused: { dot: "off", icon: "player-pause" },
  disabled: { dot: "off", icon: "ban" },
  silent: { dot: "off" }
}

/** Beside a name: its colour. The word stands in `stateLabel`. */
export const stateDot = ({ state, sentence }: Health): Html =>
  html`<span class="dot ${looks[state].dot}" title="${sentence}"></span>`

/** The state as a word. */
export const stateLabel = ({ state }: Health): Html => {
  const { dot, icon: name } = looks[state]
  return html`<span class="lbl lbl-${dot}">${name === undefined ? "" : icon(name)}${state}</span>`
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
