/** The queues of webhooks, each with a switch. */
import type { Health } from "../../history/health/Healths.ts"
import { type Queue, failedMax } from "../../history/tasks/Queues.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import type { IconName } from "../Sprite.ts"
import { icon } from "../frame/Icon.ts"
import { waitingLink } from "../deliveries/WaitingLink.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"
import { stateDot } from "../webhook/Health.ts"
import { none } from "../value/Value.ts"
import { ageText } from "../system/Amounts.ts"
import { tasksPath } from "./States.ts"

const webhookType = objectType("extras.webhook")

interface TableParts {
  readonly queues: ReadonlyArray<Queue>
  /** Ids of the webhooks that the reader may pause. */
  readonly changeable: ReadonlySet<number>
  /** By the id of the webhook. */
  readonly healths: ReadonlyMap<number, Health>
  readonly now: number
}

export const queueTable = (request: Request, { queues, changeable, healths, now }: TableParts): Html =>
  html`<section class="card" id="queues" aria-labelledby="h-queues">
    <div class="ch">
      <h2 id="h-queues">Queues</h2>
      <span class="cnt">${queues.length}</span><span class="grow"></span
      ><a class="sub" href="${pathOf(webhookType)}">All webhooks</a>
    </div>
    ${
      queues.length === 0
        ? html`<p class="note sub">Nothing waits, nothing failed, and no webhook is paused.</p>`
        : html`<div class="table-responsive">
            <table class="table table-vcenter dense">
              <caption class="visually-hidden">
                Queues of webhooks
              </caption>
              <thead>
                <tr>
                  <th scope="col">Webhook</th>
                  <th scope="col" class="num">Queued</th>
                  <th scope="col" class="num lo">Sending</th>
                  <th scope="col" class="num">Waiting</th>
                  <th scope="col" class="num">Failed</th>
                  <th scope="col" class="num lo">Oldest</th>
                  <th scope="col"><span class="visually-hidden">Actions</span></th>
                </tr>
              </thead>
              <tbody>
                ${queues.map((queue) => row(request, queue, { health: healths.get(queue.id), mayChange: changeable.has(queue.id), now }))}
              </tbody>
            </table>
          </div>`
    }
  </section>`

interface Around {
  readonly health: Health | undefined
  readonly mayChange: boolean
  readonly now: number
}

/** Whether its sentence has nothing that a reader of queues needs. */
const isUsual = ({ state, needsLook, paused, day }: Health): boolean =>
  state === "healthy" && !needsLook && !paused && day.attempts > 0

const row = (request: Request, queue: Queue, { health, mayChange, now }: Around): Html => {
  const { id, name, enabled, paused, queued, sending, waiting, failed, oldest } = queue
  return html`<tr>
    <th scope="row" class="nm">
      ${health === undefined ? "" : stateDot(health)}
      <div>
        <a href="${pathOf(webhookType, id)}">${name}</a>
        ${health === undefined || isUsual(health) ? "" : html`<div class="sub wrap">${health.sentence}</div>`}
      </div>
    </th>
    <td class="num">${queued === 0 ? 0 : waitingLink(id, queued)}</td>
    <td class="num lo">${number(sending)}</td>
    <td class="num">${waiting === 0 ? 0 : waitingLink(id, waiting)}</td>
    <td class="num">
      ${failed === 0 ? 0 : html`<a class="c-bad" href="${listOf(id, "failed")}">${number(failed)}${failed < failedMax ? "" : "+"}</a>`}
    </td>
    <td class="num lo">${oldest === null ? none : ageText(oldest, now)}</td>
    <td class="ra">
      ${mayChange && health?.breaker !== undefined && !paused ? form(request, queue, "probe", "Probe now", "send") : ""}
      ${mayChange && enabled ? (paused ? form(request, queue, "resume", "Resume", "player-play") : form(request, queue, "pause", "Pause", "player-pause")) : ""}
    </td>
  </tr>`
}

const listOf = (id: number, status: string): string => `${pathOf(deliveryType)}?webhook_id=${id}&status=${status}`

/** The button of an action on a queue; on small screens without its text. */
const form = (request: Request, { id, name }: Queue, what: string, title: string, sign: IconName): Html =>
  html`<form method="post" action="${tasksPath}queues/${id}/${what}/">
    ${csrfInput(request)}
    <button class="btn btn-sm" aria-label="${title} ${name}">${icon(sign)}<span class="wide">${title}</span></button>
  </form>`
