/** The processes of the service: what they do, and how they are. */
import type { SeenProcess } from "../../history/tasks/Processes.ts"
import { numberOf } from "../../history/tasks/Processes.ts"
import type { Request } from "../../http/wire/Request.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { csrfInput } from "../form/Csrf.ts"
import { number } from "../list/Pager.ts"
import { none } from "../value/Value.ts"
import { ageText, bytesText } from "./Amounts.ts"
import { tasksPath } from "../tasks/States.ts"

/** From this delay on an event loop is too busy, milliseconds. */
const slowMillis = 250

const states = {
  busy: ["ok", "sending"],
  idle: ["ok", "running"],
  paused: ["warn", "holds, all sending is paused"],
  quiet: ["warn", "takes no new work"],
  lost: ["bad", "lost"]
} as const

interface TableParts {
  readonly processes: ReadonlyArray<SeenProcess>
  readonly mayTell: boolean
  readonly now: number
}

export const processTable = (request: Request, { processes, mayTell, now }: TableParts): Html =>
  html`<section class="card" id="processes" aria-labelledby="h-processes">
    <div class="ch">
      <h2 id="h-processes">Processes</h2>
      <span class="cnt">${processes.length}</span>
    </div>
    <div class="table-responsive">
      <table class="table table-vcenter dense">
        <caption class="visually-hidden">
          Processes of the service
        </caption>
        <thead>
          <tr>
            <th scope="col">Process</th>
            <th scope="col">State</th>
            <th scope="col" class="num">In flight</th>
            <th scope="col" class="num lo">Memory</th>
            <th scope="col" class="num lo">Loop delay</th>
            <th scope="col" class="num lo">Up</th>
            <th scope="col" class="num lo">Heartbeat</th>
            <th scope="col"><span class="visually-hidden">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${processes.map((process) => row(request, process, mayTell, now))}
        </tbody>
      </table>
    </div>
  </section>`

const row = (request: Request, process: SeenProcess, mayTell: boolean, now: number): Html => {
  const { name, state, roles, started, seen } = process
  const [dot, words] = states[state]
  const delay = numberOf(process, "process", "loopDelayMillis")
  const delivers = roles.includes("deliver")
  return html`<tr>
    <th scope="row">
      <span class="mono">${name}</span>
      <div class="sub">${roles.join(", ")}</div>
    </th>
    <td>
      <span class="dot ${dot}"></span> ${words}${
        state === "lost"
          ? html`<div class="sub">no heartbeat for ${ageText(seen, now)}; others claim its entries</div>`
          : ""
      }
    </td>
    <td class="num">${delivers ? number(numberOf(process, "deliver", "inFlight")) : none}</td>
    <td class="num lo">${bytesText(numberOf(process, "process", "rssBytes"))}</td>
    <td class="num lo ${delay > slowMillis ? "c-warn" : ""}">${durationText(delay)}</td>
    <td class="num lo">${ageText(started, now)}</td>
    <td class="num lo">${ageText(seen, now)} ago</td>
    <td class="ra">${mayTell && delivers && state !== "lost" ? switchOf(request, process) : ""}</td>
  </tr>`
}

const switchOf = (request: Request, { name, quiet }: SeenProcess): Html => {
  const [what, title] = quiet ? (["resume", "Take work again"] as const) : (["quiet", "Stop taking work"] as const)
  return html`<form method="post" action="${tasksPath}processes/${encodeURIComponent(name)}/${what}/">
    ${csrfInput(request)}<button class="btn btn-sm" aria-label="${title}: ${name}">${title}</button>
  </form>`
}
