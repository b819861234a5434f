/** `/extras/deliveries/waiting/`: deliveries that wait or are under way, also those without an attempt. */
import { Effect } from "effect"
import { type ObjectOfDelivery, type SourceObject, objectsOfDeliveries } from "../../history/source/SourceObjects.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { actedOnMax } from "../../requests/WaitingActions.ts"
import { HttpRefused } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { actOn, waitingSeen } from "../../http/webhooks/Waiting.ts"
import { readForm } from "../../http/wire/Body.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { alert, detailOf } from "../bulk/BulkPage.ts"
import { flash } from "../frame/Flash.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { linksLeave } from "../frame/InPlace.ts"
import { number } from "../list/Pager.ts"
import { changed, withQuery } from "../list/Query.ts"
import { groupOf } from "../frame/Menu.ts"
import { objectWithType } from "../source/ObjectLink.ts"
import { timeOf } from "../value/Time.ts"
import { nameOfType, pathOf, pluralOf } from "../value/Title.ts"
import { badge, none, valueOf } from "../value/Value.ts"
import { waitingPath } from "./WaitingLink.ts"

const webhookType = objectType("extras.webhook")

type WaitingView = Effect.Success<ReturnType<typeof waitingSeen>>
type WaitingRow = WaitingView["shown"][number]

const show: Handler = (request) =>
  waitingSeen(request).pipe(
    Effect.flatMap((seen) => page(request, seen)),
    Effect.catchIf(
      (error): error is HttpRefused => error instanceof HttpRefused && [400, 503].includes(error.status),
      (refused) =>
        framed(request, {
          ...around(request),
          main: alert(html`${detailOf(deliveryType, refused)}`),
          status: refused.status
        })
    )
  )

const around = (request: Request) => ({
  title: "Waiting deliveries",
  crumbs: [[groupOf(deliveryType)], [pluralOf(deliveryType), pathOf(deliveryType)]] as const,
  actions: html`<a class="btn btn-sm" href="${withQuery(`${deliveryType.path}waiting/`, request.url.searchParams)}"
    >${icon("code")}API</a
  >`
})

const page = Effect.fnUntraced(function* (request: Request, { shown, count, next, view, wish }: WaitingView) {
  const mayAct = isEverything(yield* cleared(deliveryType, "change"))
  const query = request.url.searchParams
  const objectIn = yield* objectsOfDeliveries(shown)
  const about = [
    ...(wish.webhook === undefined ? [] : [html`to ${valueOf(view.nested(webhookType.id, wish.webhook))}`]),
    ...(wish.object === undefined ? [] : [html`about ${valueOf(view.nested(wish.object.type, wish.object.id))}`])
  ]
  const counted =
    count === undefined ? [] : [html`${number(count)} ${count === 1 ? "waits or is" : "wait or are"} under way`]
  return yield* framed(request, {
    ...around(request),
    subtitle: html`<p class="sub m-0 links">
      ${[...counted, ...about].map((each, at) => html`${at === 0 ? "" : " · "}${each}`)}
    </p>`,
    main: html`<div class="card">
      ${
        shown.length === 0
          ? html`<div class="empty"><b>${wish.after === "" ? "Nothing waits." : "That was the last page."}</b></div>`
          : html`<form method="post" action="${withQuery(waitingPath, query)}">
              ${csrfInput(request)}${table(shown, mayAct, objectIn)}${mayAct ? bar(query, count) : ""}
            </form>`
      }
      <div class="tf">
        <span class="sub" role="status">${number(shown.length)} here</span><span class="grow"></span>
        ${wish.after === "" ? "" : html`<a class="btn btn-sm" href="${changed(query, { after: undefined })}">First page</a>`}
        ${next === undefined ? "" : html`<a class="btn btn-sm" rel="next" href="${changed(query, { after: next })}">Next page</a>`}
      </div>
    </div> `
  })
})

/** The filters of the page lead to all that match; a delivery that waits is queued, or it was attempted. */
const bar = (query: URLSearchParams, count: number | undefined): Html => {
  const filters = new URLSearchParams("status=queued&status=retrying")
  for (const name of ["webhook_id", "object_type", "object_id"]) {
    const value = query.get(name)
    if (value !== null) filters.append(name, value)
  }
  return html`<div class="bulk-bar" role="group" aria-label="Selected deliveries">
    <span class="sub" data-selected aria-live="polite">With the selected:</span>
    <button class="btn btn-sm" name="action" value="retry">${icon("send")}Send now</button>
    <button class="btn btn-sm" name="action" value="discard">${icon("trash")}Discard</button>
    <span class="grow"></span>
    <span class="sub">${count === undefined ? "All that match:" : `All ${number(count)}:`}</span>
    <span class="end" ${linksLeave}
      ><a class="btn btn-sm" href="${withQuery(`${pathOf(deliveryType)}retry/`, filters)}">Retry all…</a>
      <a class="btn btn-sm" href="${withQuery(`${pathOf(deliveryType)}discard/`, filters)}">Discard all…</a></span
    >
  </div>`
}

const states: Readonly<Record<WaitingRow["state"], string>> = {
  sending: "With a process",
  queued: "Queued",
  parked: "Behind another",
  delayed: "Scheduled"
}

const table = (shown: ReadonlyArray<WaitingRow>, mayAct: boolean, objectIn: ObjectOfDelivery): Html =>
  html`<div class="table-responsive">
    <table class="table table-vcenter dense">
      <caption class="visually-hidden">
        Waiting deliveries
      </caption>
      <thead>
        <tr>
          ${
            mayAct
              ? html`<th scope="col">
                  <label hidden
                    ><input class="form-check-input" type="checkbox" data-select-page /><span class="visually-hidden"
                      >Select the page</span
                    ></label
                  >
                </th>`
              : ""
          }
          <th scope="col">Object</th>
          <th scope="col">State</th>
          <th scope="col">Webhook</th>
          <th scope="col" class="lo">Changed</th>
          <th scope="col" class="num lo">Attempts</th>
          <th scope="col" class="lo">Due</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((each) => line(each, mayAct, objectIn(each)))}
      </tbody>
    </table>
  </div>`

const line = (each: WaitingRow, mayAct: boolean, source: SourceObject | undefined): Html => {
  const { delivery_id: id, delivery, state, webhook, event, object, object_type: type, object_id: objectId } = each
  const own = object === null || object === undefined ? `${nameOfType(type)} #${objectId}` : valueOf(object)
  const name = html`${source === undefined ? own : objectWithType(type, source)} ${event}`
  return html`<tr>
    ${
      mayAct
        ? html`<td>
            <input class="form-check-input" type="checkbox" name="id" value="${id}" aria-label="Select ${id}" />
          </td>`
        : ""
    }
    <th scope="row" class="nm">
      <div>
        ${name}
        <div class="sub mono links">
          ${delivery === null ? id : html`<a href="${pathOf(deliveryType, delivery)}">${id}</a>`}
        </div>
      </div>
    </th>
    <td>${badge(state, states[state])}</td>
    <td>${valueOf(webhook)}</td>
    <td class="lo">${timeOf(each.time, "second")}</td>
    <td class="num lo">${each.attempts}</td>
    <td class="lo">${each.due === null ? none : timeOf(each.due, "second")}</td>
  </tr>`
}

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const form = yield* readForm(request.incoming)
    const action = form.get("action") === "discard" ? "discard" : "retry"
    const ids = form.getAll("id").slice(0, actedOnMax)
    const acted = yield* actOn(action, ids)
    return {
      ...redirect(withQuery(waitingPath, request.url.searchParams)),
      cookies: [flash({ deed: action === "retry" ? "retried" : "discarded", type: deliveryType, count: acted.length })],
      written: []
    }
  })

export default {
  path: waitingPath,
  access: deliveryType,
  methods: { GET: show, POST: submit }
} satisfies Route
