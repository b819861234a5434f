/** `/extras/webhooks/<id>/test/`: sends a past change to the webhook, whatever its condition says. */
import { Effect } from "effect"
import { askForTest } from "../../requests/TestDelivery.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { html } from "../Html.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { actForm, actPage, backTo, openedWebhook, webhookType } from "./Opened.ts"

const page = Effect.fnUntraced(function* (request: Request, problem?: string) {
  const { row, display } = yield* openedWebhook(request)
  const asked = { id: row.id, display, title: "Test" }
  if (row.enabled !== true || row.paused === true) {
    const why =
      row.enabled === true ? "The webhook is paused. Resume it first." : "The webhook is disabled. Enable it first."
    return yield* actPage(request, { ...asked, problem: problem ?? why, main: backTo(row.id) })
  }
  return yield* actPage(request, {
    ...asked,
    problem,
    main: actForm(
      request,
      row.id,
      html`<p>
          Sends a real change to <span class="mono">${row.payload_url}</span>, regardless of the conditions of the
          webhook. The receiver can distinguish it from the event itself only by its own delivery id.
        </p>
        <label class="form-label" for="change">Change</label>
        <input
          class="field-in"
          id="change"
          name="change"
          inputmode="numeric"
          maxlength="15"
          autocomplete="off"
          placeholder="Its number; blank takes the latest of the webhook's types"
        />`,
      html`<button class="btn btn-sm btn-primary">${icon("send")}Send</button>`
    )
  })
})

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const text = (yield* readForm(request.incoming)).get("change")?.trim() ?? ""
    const { row } = yield* openedWebhook(request)
    if (row.enabled !== true || row.paused === true) return yield* page(request)
    if (!/^\d{0,15}$/.test(text)) return yield* page(request, "A change has a number.")
    const { requestId, userId: askedBy } = request.author
    const change = text === "" ? undefined : Number(text)
    const delivery = yield* askForTest({ webhook: row.id, requestId, change, askedBy })
    if (delivery === undefined) {
      const why =
        text === ""
          ? "There is no change of the webhook's object types yet."
          : `There is no change ${text} of its object types.`
      return yield* page(request, why)
    }
    return { ...redirect(pathOf(deliveryType, delivery)), written: [row.id] }
  })

export default {
  path: `${pathOf(webhookType)}:id/test/`,
  access: webhookType,
  action: "change",
  methods: { GET: (request) => page(request), POST: submit }
} satisfies Route
