/** Content of a tab of the background tasks. */
import { Effect } from "effect"
import { type FailureGroup, failureGroups } from "../../history/log/Failures.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import type { Queue } from "../../history/tasks/Queues.ts"
import { cleared, mayView } from "../../inventory/Clearance.ts"
import { allOf, isEverything, equalTo } from "../../inventory/derive/filter/Where.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"
import { readPage, viewFor } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"
import { number } from "../list/Pager.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf } from "../value/Title.ts"
import { none, valueOf } from "../value/Value.ts"
import { ageText } from "../system/Amounts.ts"
import { causeTitle } from "./Cause.ts"
import { failureTable } from "./FailureTable.ts"
import { probed, unavailable } from "../system/Probe.ts"
import type { TaskState } from "./States.ts"

interface Read {
  /** Undefined if they cannot be read; so are the queues. */
  readonly groups: ReadonlyArray<FailureGroup> | undefined
  readonly queues: ReadonlyArray<Queue> | undefined
  readonly now: number
  readonly base: string
}

export const tasksOf = (state: TaskState, { groups, queues, now, base }: Read) =>
  Effect.gen(function* () {
    if (state === "scheduled") {
      const causes = yield* probed(retryingByCause)
      return html`${causes ?? ""}${(yield* probed(scheduled(base))) ?? nothing(unavailable)}`
    }
    if (state === "failed") return groups === undefined ? nothing(unavailable) : yield* failed(groups)
    return queues === undefined ? nothing(unavailable) : inQueues(state, queues, now)
  })

const nothing = (text: Html | string): Html => html`<div class="card"><div class="empty">${text}</div></div>`

const failed = Effect.fnUntraced(function* (groups: ReadonlyArray<FailureGroup>) {
  if (groups.length === 0) return nothing("No delivery has used up its retries.")
  const mayAct = isEverything(yield* cleared(deliveryType, "change"))
  const list = `${pathOf(deliveryType)}?status=failed`
  return html`<div class="tools">
      <span class="sub">By cause.</span><a class="btn btn-sm" href="${list}">Every failed delivery</a
      ><span class="grow"></span>
      ${
        mayAct
          ? html`<a class="btn btn-sm btn-primary" href="${pathOf(deliveryType)}retry/?status=failed"
                >${icon("refresh")}Retry all…</a
              >
              <a class="btn btn-sm btn-ghost-danger" href="${pathOf(deliveryType)}discard/?status=failed"
                >${icon("trash")}Discard all…</a
              >`
          : ""
      }
    </div>
    ${failureTable(groups, mayAct)}`
})

/** The causes of deliveries that wait for another attempt, or are held since one. */
const retryingByCause = Effect.gen(function* () {
  const where = allOf(equalTo(deliveryType, { status: "retrying" }), yield* cleared(deliveryType, "view"))
  const groups = yield* failureGroups(where)
  const mayAct = isEverything(yield* cleared(deliveryType, "change"))
  return groups.length === 0 ? html`` : failureTable(groups, mayAct)
})

/** Most deliveries that a tab shows. */
const shownMax = 50

/** The deliveries whose next attempt is nearest. */
const scheduled = Effect.fnUntraced(function* (base: string) {
  if (!(yield* mayView(deliveryType))) return nothing("You may view no deliveries.")
  const where = equalTo(deliveryType, { status: "retrying" })
  const page = { where, ordering: ["next_attempt"], limit: shownMax, offset: 0, isCut: true }
  const { rows, beside } = yield* readPage(deliveryType, page)
  if (rows.length === 0) return nothing("No delivery waits for another attempt.")
  const view = yield* viewFor(deliveryType, rows, base, beside)
  const shown = rows.map((row) => ({ id: row.id, ...representation(deliveryType, row, view) }))
  return html`<div class="card" id="scheduled">
    <div class="table-responsive">
      <table class="table table-vcenter dense">
        <caption class="visually-hidden">
          Deliveries that wait for their next attempt
        </caption>
        <thead>
          <tr>
            <th scope="col">Next attempt</th>
            <th scope="col">Webhook</th>
            <th scope="col">Last outcome</th>
            <th scope="col" class="num lo">Attempts</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(scheduledRow)}
        </tbody>
      </table>
    </div>
    ${
      rows.length < shownMax
        ? ""
        : html`<p class="note links"><a href="${pathOf(deliveryType)}?status=retrying">All that wait</a></p>`
    }
  </div>`
})

const scheduledRow = (shown: Readonly<Record<string, unknown>> & { readonly id: number }): Html => {
  const { id, next_attempt: next, webhook, reason, response_status: answer, attempts } = shown
  const when = typeof next === "string" ? timeOf(next, "second") : html`now`
  return html`<tr>
    <th scope="row"><a href="${pathOf(deliveryType, id)}">${when}</a></th>
    <td>${valueOf(webhook)}</td>
    <td>${causeTitle(String(reason ?? ""), typeof answer === "number" ? answer : null)}</td>
    <td class="num lo">${valueOf(attempts)}</td>
  </tr>`
}

/** Counts by webhook: they lead to the deliveries. */
const inQueues = (state: "running" | "queued", queues: ReadonlyArray<Queue>, now: number): Html => {
  const countOf = (queue: Queue) => (state === "queued" ? queue.queued : queue.sending)
  const some = queues.filter((queue) => countOf(queue) > 0).toSorted((a, b) => countOf(b) - countOf(a))
  if (some.length === 0) return nothing(state === "queued" ? "Nothing is queued." : "Nothing is being sent.")
  const webhookType = objectType("extras.webhook")
  return html`<div class="card" id="${state}">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        Deliveries by webhook
      </caption>
      <thead>
        <tr>
          <th scope="col">Webhook</th>
          <th scope="col" class="num">${state === "queued" ? "Queued" : "Sending"}</th>
          <th scope="col" class="num">Oldest change</th>
        </tr>
      </thead>
      <tbody>
        ${some.map(
          (queue) =>
            html`<tr>
              <th scope="row"><a href="${pathOf(webhookType, queue.id)}">${queue.name}</a></th>
              <td class="num"><a href="${waitingPath}?webhook_id=${queue.id}">${number(countOf(queue))}</a></td>
              <td class="num">${queue.oldest === null ? none : `${ageText(queue.oldest, now)} ago`}</td>
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}
