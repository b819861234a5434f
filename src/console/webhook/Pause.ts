/** `/extras/webhooks/<id>/pause/`: its deliveries wait until it is resumed. */
import { Effect } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { update } from "../../inventory/write/Write.ts"
import { html } from "../Html.ts"
import { flash } from "../frame/Flash.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { actForm, actPage, backTo, openedWebhook, webhookType } from "./Opened.ts"

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { row, display } = yield* openedWebhook(request)
    const asked = { id: row.id, display, title: "Pause" }
    if (row.paused === true) {
      return yield* actPage(request, { ...asked, problem: "The webhook is paused already.", main: backTo(row.id) })
    }
    return yield* actPage(request, {
      ...asked,
      main: actForm(
        request,
        row.id,
        html`<p>
          Its deliveries wait until you resume it, and none is lost. To drop what happens meanwhile, disable the webhook
          instead.
        </p>`,
        html`<button class="btn btn-sm btn-primary">${icon("player-pause")}Pause</button>`
      )
    })
  })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const sent = yield* readForm(request.incoming)
    const { row } = yield* openedWebhook(request)
    yield* update(webhookType, [{ id: row.id, body: { paused: true } }], false, request.author)
    const to = sent.get("from") === "list" ? pathOf(webhookType) : pathOf(webhookType, row.id)
    return { ...redirect(to), cookies: [flash({ deed: "paused", type: webhookType, id: row.id })], written: [row.id] }
  })

export default {
  path: `${pathOf(webhookType)}:id/pause/`,
  access: webhookType,
  action: "change",
  methods: { GET: show, POST: submit }
} satisfies Route
