/** Forms of a delivery: retry, discard, and pause its webhook. What makes no sense is refused in words. */
import { Effect } from "effect"
import { askForProbe } from "../../log/BreakerTable.ts"
import {
  type ActionRefused,
  type DeliveryState,
  discardOne,
  discardRefusal,
  deliveryState,
  retryOne,
  retryRefusal
} from "../../requests/OneDelivery.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { inspected } from "../../http/webhooks/SentRequests.ts"
import { readForm } from "../../http/wire/Body.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { update } from "../../inventory/write/Write.ts"
import { type Html, html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { retryNote, webhookType } from "./Actions.ts"
import { deliveryPage } from "./DeliveryPage.ts"
import { csrfInput } from "../form/Csrf.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

type Deed = Parameters<typeof flash>[0]["deed"]

const back = (id: number, deed: Deed, type: typeof deliveryType | typeof webhookType = deliveryType) => ({
  ...redirect(pathOf(deliveryType, id)),
  cookies: [flash({ deed, type })],
  written: [id]
})

/** A page that requires a confirmation. */
const asking = (request: Request, id: number, title: string, text: string, content: Html, status = 200) =>
  framed(request, {
    title,
    crumbs: [
      [groupOf(deliveryType)],
      [pluralOf(deliveryType), pathOf(deliveryType)],
      [`Delivery ${id}`, pathOf(deliveryType, id)]
    ],
    main: html`<form class="card object-form" method="post">
      ${csrfInput(request)}
      <p>${text}</p>
      <div class="form-end">${content}<a class="btn btn-sm" href="${pathOf(deliveryType, id)}">Cancel</a></div>
    </form>`,
    status
  })

/** The delivery in the path, if the reader may change it, with its state. Fails with 404. */
const acted = Effect.fnUntraced(function* (request: Request) {
  const row = yield* rowOf(deliveryType, request, "change")
  return { row, state: (yield* deliveryState(row.id)) ?? (yield* notFound()) }
})

const refused = (request: Request, { reason, message }: ActionRefused) =>
  reason === "Gone" ? Effect.fail(notFound()) : deliveryPage(request, { problem: message, status: 409 })

const askRetry = (request: Request, id: number, { attempts, ...state }: DeliveryState, status?: number) =>
  asking(
    ...([request, id, `Send delivery ${id} again`] as const),
    `The receiver has accepted this delivery already. It gets it once more, under the same id. ${retryNote({ ...state, attempts }) ?? ""}`,
    html`<input type="hidden" name="again" value="1" /><input type="hidden" name="attempts" value="${attempts}" />
      <button class="btn btn-sm btn-primary">Send it again</button>`,
    status
  )

const showRetry: Handler = (request) =>
  Effect.gen(function* () {
    const { row, state } = yield* acted(request)
    const refusal = retryRefusal(state)
    if (refusal === undefined) return redirect(pathOf(deliveryType, row.id))
    return refusal.reason === "Succeeded" ? yield* askRetry(request, row.id, state) : yield* refused(request, refusal)
  })

const retry: Handler = (request) =>
  Effect.gen(function* () {
    const form = yield* readForm(request.incoming)
    const { row } = yield* acted(request)
    const attempts = form.get("attempts") ?? ""
    const wish = {
      again: form.has("again"),
      attempts: /^\d{1,9}$/.test(attempts) ? Number(attempts) : undefined
    }
    return yield* retryOne(row.id, wish).pipe(
      Effect.map(({ status }) => back(row.id, status === "retrying" ? "advanced" : "retried")),
      Effect.catchTag("ActionRefused", (refusal) =>
        Effect.gen(function* () {
          if (refusal.reason !== "Succeeded") return yield* refused(request, refusal)
          // It has succeeded since the page was shown.
          return yield* askRetry(request, row.id, (yield* acted(request)).state, 409)
        })
      )
    )
  })

const showDiscard: Handler = (request) =>
  Effect.gen(function* () {
    const { row, state } = yield* acted(request)
    const refusal = discardRefusal(state)
    if (refusal !== undefined) return yield* refused(request, refusal)
    const underWay = state.isDue && state.status === "retrying" ? " An attempt in progress continues." : ""
    return yield* asking(
      ...([request, row.id, `Discard delivery ${row.id}`] as const),
      `The receiver will not get this delivery, and it cannot be retried.${underWay}`,
      html`<button class="btn btn-sm btn-danger">Discard</button>`
    )
  })

const discard: Handler = (request) =>
  Effect.gen(function* () {
    const { row } = yield* acted(request)
    return yield* discardOne(row.id).pipe(
      Effect.as(back(row.id, "discarded")),
      Effect.catchTag("ActionRefused", (refusal) => refused(request, refusal))
    )
  })

const deletedWebhook = { problem: "The webhook of this delivery was deleted.", status: 409 }

const probeWebhook: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(deliveryType, request)
    const { webhook } = inspected(row)
    if (webhook === null) return yield* deliveryPage(request, deletedWebhook)
    const [changeable] = yield* byIds(webhookType, [webhook], "change")
    if (changeable === undefined) return yield* notFound()
    return back(row.id, (yield* askForProbe([webhook])).length > 0 ? "probed" : "unprobed", webhookType)
  })

const pauseWebhook: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(deliveryType, request)
    const { webhook } = inspected(row)
    if (webhook === null) return yield* deliveryPage(request, deletedWebhook)
    const [paused] = yield* update(webhookType, [{ id: webhook, body: { paused: true } }], false, request.author)
    if (paused === undefined) return yield* notFound()
    return back(row.id, "paused", webhookType)
  })

const path = `${pathOf(deliveryType)}:id/`

export default [
  { path: `${path}retry/`, access: deliveryType, action: "change", methods: { GET: showRetry, POST: retry } },
  { path: `${path}discard/`, access: deliveryType, action: "change", methods: { GET: showDiscard, POST: discard } },
  { path: `${path}probe-webhook/`, access: webhookType, action: "change", methods: { POST: probeWebhook } },
  { path: `${path}pause-webhook/`, access: webhookType, action: "change", methods: { POST: pauseWebhook } }
] satisfies ReadonlyArray<Route>
