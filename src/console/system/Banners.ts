/** Reasons why the service cannot send, at the head of the pages of the system. */
import type { Sending } from "../../requests/Sending.ts"
import type { Problem } from "../../history/tasks/Problems.ts"
import { type SeenProcess, deliverers } from "../../history/tasks/Processes.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { timeOf } from "../value/Time.ts"
import { capital } from "../value/Title.ts"
import { tasksPath } from "../tasks/States.ts"

/** The command that starts a process that delivers. */
const command = "npx rackwire serve --roles deliver"

/** For no process that delivers, or none that takes work. */
export const senderBanner = (processes: ReadonlyArray<SeenProcess>): Html => {
  const running = deliverers(processes).filter(({ lost }) => !lost)
  if (running.length === 0) {
    return html`<div class="alert-line" role="alert" id="no-senders">
      <b>No process delivers.</b> Deliveries are queued, and none is sent. Start a process with the same
      <code>DATABASE_URL</code>, <code>REDIS_URL</code> and <code>SECRET_KEY</code>:
      <pre class="json" tabindex="0">${command}</pre>
    </div>`
  }
  if (running.some(({ quiet }) => !quiet)) return html``
  return html`<div class="alert-line" role="alert" id="no-senders">
    <b>No process takes new work.</b> Each was set to drain. Deliveries are queued, and none is sent.
  </div>`
}

/** For sending that is paused, with the way to resume it. */
export const pausedBanner = (request: Request, { paused, since, by }: Sending, mayResume: boolean): Html =>
  paused
    ? html`<div class="alert-line warn-line" role="status" id="sending-paused">
        ${icon("player-pause")}
        <span
          ><b>All sending is paused</b>, since ${timeOf(since ?? "")}, by ${by ?? ""}. Deliveries are queued; nothing is
          lost.</span
        >
        ${mayResume ? switchForm(request, true) : ""}
      </div>`
    : html``

/** The button that pauses or resumes all sending. */
export const switchForm = (request: Request, paused: boolean): Html =>
  html`<form method="post" action="${tasksPath}${paused ? "resume" : "pause"}/">
    ${csrfInput(request)}
    <button class="btn btn-sm">
      ${icon(paused ? "player-play" : "player-pause")}${paused ? "Resume sending" : "Pause all sending"}
    </button>
  </form>`

/** The problems that keep the service from its work: Redis, a disk, receivers that fail. */
export const problemBanner = (problems: ReadonlyArray<Problem>): Html =>
  problems.length === 0
    ? html``
    : html`<div class="alert-line" role="alert" id="problems">
        <b>The service has problems.</b>
        <ul>
          ${problems.map(({ problem, advice }) => html`<li>${capital(problem)}. <span class="sub">${advice}</span></li>`)}
        </ul>
      </div>`
