/** The state of a delivery, and the answer to an attempt, in words and in colour. */
import { STATUS_CODES } from "node:http"
import type { LoggedAttempt } from "../../history/inspect/Attempts.ts"
import { type Html, html } from "../Html.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "../frame/Icon.ts"

type Look = readonly [title: string, colour: "ok" | "warn" | "bad" | "mut", icon: IconName]

const states: Readonly<Record<string, Look>> = {
  queued: ["Queued", "warn", "clock"],
  sending: ["Sending", "warn", "send"],
  retrying: ["Retrying", "warn", "refresh"],
  successful: ["Delivered", "ok", "check"],
  failed: ["Failed", "bad", "x"],
  discarded: ["Discarded", "mut", "trash"]
}

export const statePill = (status: string): Html => {
  const [title, colour, name] = states[status] ?? [status, "mut", "activity"]
  return html`<span class="pill pill-${colour}" id="state">${icon(name)}${title}</span>`
}

type Answer = Pick<LoggedAttempt, "response_status" | "reason">

/** Whether the receiver accepted it. */
export const isAccepted = ({ reason }: Answer): boolean => reason === ""

/** The status, or the reason why there is none. */
export const answerCode = (answer: Answer): Html => {
  const { response_status: status, reason } = answer
  return html`<span class="code ${isAccepted(answer) ? "code-ok" : "code-bad"}"
    >${status ?? reason.toLowerCase()}</span
  >`
}

/** The phrase of the status, or what was wrong. */
export const answerPhrase = ({ response_status: status, message }: LoggedAttempt): string =>
  status === null ? message : (STATUS_CODES[status] ?? "")
