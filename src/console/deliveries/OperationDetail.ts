/** `/extras/operations/<id>/`: how far an operation is, and the button that cancels it. */
import { Effect } from "effect"
import { operationType } from "../../requests/Operations.ts"
import { type Report, reportOf } from "../../requests/Report.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { HttpRefused, notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { cancelOperation } from "../../http/webhooks/Operations.ts"
import { mayDo } from "../../inventory/Clearance.ts"
import { type Html, html } from "../Html.ts"
import { alert, detailOf } from "../bulk/BulkPage.ts"
import { flash } from "../frame/Flash.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { live, liveControl, withLive } from "../live/Following.ts"
import { number } from "../list/Pager.ts"
import { objectIn } from "../object/ObjectPage.ts"
import { pathOf, pluralOf } from "../value/Title.ts"
import { attribute, badge } from "../value/Value.ts"
import { representation } from "../../inventory/derive/represent/Representation.ts"

type OperationView = Readonly<Record<string, unknown>>

const labelled = (value: unknown) => value as { readonly value: string; readonly label: string }

const isUnderWay = ({ status }: OperationView): boolean => ["queued", "running"].includes(labelled(status).value)

const show =
  (problem?: HttpRefused): Handler =>
  (request) =>
    Effect.gen(function* () {
      const found = yield* objectIn(operationType, request)
      if (found === undefined) return yield* notFound()
      const shown = representation(operationType, found.row, found.view) as OperationView
      const report = yield* reportOf(found.row.id)
      const mayCancel = yield* mayDo(operationType, "change")
      return yield* framed(request, {
        title: `${labelled(shown["action"]).label} #${found.row.id}`,
        crumbs: [[groupOf(operationType)], [pluralOf(operationType), pathOf(operationType)]],
        actions: html`${problem === undefined ? liveControl : ""}<a
            class="btn btn-sm"
            href="${operationType.path}${found.row.id}/"
            >${icon("code")}API</a
          >`,
        main: html`${problem === undefined ? "" : alert(html`${detailOf(operationType, problem)}`)}
        ${live("operation-progress", progress(shown, report))}
        ${live("cancel", html`<div id="cancel">${mayCancel && isUnderWay(shown) ? cancelForm(request, found.row.id) : ""}</div>`)}
        ${attributes(shown)}`,
        status: problem?.status ?? 200
      })
    })

const width = 400

const progress = (shown: OperationView, report: Report | undefined): Html => {
  const { value, label } = labelled(shown["status"])
  const [done, total] = [Number(shown["done"] ?? 0), Number(shown["total"] ?? 0)]
  const share = value === "done" ? 1 : total === 0 ? 0 : Math.min(done / total, 1)
  const text = `${number(done)}${total === 0 ? "" : ` of ${number(total)}`} done`
  return html`<section class="card" id="operation-progress" aria-labelledby="progress">
    <div class="ch">
      <h2 id="progress">Progress</h2>
      ${badge(value, label)}
    </div>
    <div class="note">
      <svg class="progress-bar-s" viewBox="0 0 ${width} 8" preserveAspectRatio="none" role="img" aria-label="${text}">
        <rect class="h-track" width="${width}" height="8" rx="2"></rect>
        <rect class="h-ok" width="${(share * width).toFixed(1)}" height="8" rx="2"></rect>
      </svg>
      <p>
        ${text}.
        ${value === "cancelled" ? "Deliveries that were processed before the cancellation keep their state." : ""}
      </p>
      ${report === undefined ? "" : reportList(report)}
      ${shown["message"] === "" || shown["message"] === null ? "" : html`<p>${String(shown["message"])}</p>`}
    </div>
  </section>`
}

/** The outcomes of the deliveries: a line for each outcome that occurred. */
const reportList = ({ sent, accepted, held, waiting, gone, changed }: Report): Html => {
  const groups: ReadonlyArray<readonly [count: number, text: string]> = [
    [sent, `sent, ${number(accepted)} of them accepted by the receiver`],
    [held, "held: the circuit breaker is open, or sending is paused"],
    [waiting, "about to be sent"],
    [gone, "gone: their webhook or their event no longer exists"],
    [changed, "left as they were: others had them sent, or changed them, before their turn"]
  ]
  return html`<ul class="report">
    ${groups.filter(([count]) => count > 0).map(([count, text]) => html`<li><b>${number(count)}</b> ${text}</li>`)}
  </ul>`
}

const cancelForm = (request: Request, id: number): Html =>
  html`<form class="card object-form" method="post" action="${pathOf(operationType, id)}cancel/">
    ${csrfInput(request)}
    <div class="form-end">
      <button class="btn btn-sm btn-danger">${icon("x")}Cancel the operation</button>
      <span class="sub">Processed deliveries keep their state.</span>
    </div>
  </form>`

const attributes = (shown: OperationView): Html => {
  return html`<section class="card" aria-labelledby="attributes">
    <div class="ch">
      <h2 id="attributes">Attributes</h2>
      ${labelled(shown["action"]).value === "resume" || shown["dry_run"] === true ? "" : html`<a class="sub" href="${pathOf(deliveryType)}?operation_id=${String(shown["id"])}">Its deliveries</a>`}
    </div>
    <dl class="attrs">
      ${["action", "webhook", "filter", "keep", "dry_run", "asked", "heard"].map((name) => attribute(name, shown[name]))}
    </dl>
  </section>`
}

const cancel: Handler = (request) =>
  Effect.gen(function* () {
    const { id } = yield* cancelOperation(request)
    return {
      ...redirect(pathOf(operationType, id)),
      cookies: [flash({ deed: "cancelled", type: operationType })],
      written: [id]
    }
  }).pipe(
    Effect.catchIf(
      (error): error is HttpRefused => error instanceof HttpRefused && error.status === 409,
      (refused) => show(refused)(request)
    )
  )

const path = `${pathOf(operationType)}:id/`

export default [
  { path, access: operationType, methods: { GET: withLive(show()) } },
  { path: `${path}cancel/`, access: operationType, action: "change", methods: { POST: cancel } }
] satisfies ReadonlyArray<Route>
