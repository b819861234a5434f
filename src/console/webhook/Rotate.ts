/** `/extras/webhooks/<id>/rotate/`: a new secret, shown once; the old one stays valid for a while. */
import { Effect, Result } from "effect"
import { overlapHoursMax, rotateSecret } from "../../requests/Rotate.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { html } from "../Html.ts"
import { arrived, carried, onceCard } from "../token/NewToken.ts"
import { flash } from "../frame/Flash.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { actForm, actPage, backTo, openedWebhook, webhookType } from "./Opened.ts"

const hoursUsual = 24

const page = Effect.fnUntraced(function* (request: Request, problem?: string) {
  const { row, display } = yield* openedWebhook(request)
  return yield* actPage(request, {
    ...{ id: row.id, display, title: "Rotate the secret of", problem },
    main: actForm(
      request,
      row.id,
      html`<p>
          Requests are signed with the new secret from now on, and with the old one as well until its time is over: the
          receiver may change at any moment between.
        </p>
        <label class="form-label" for="secret">New secret</label>
        <input
          class="field-in"
          id="secret"
          name="secret"
          maxlength="255"
          autocomplete="off"
          placeholder="Blank makes one"
        />
        <label class="form-label" for="hours">Hours that the old secret stays valid</label>
        <input
          class="field-in"
          id="hours"
          name="hours"
          type="number"
          min="0"
          max="${overlapHoursMax}"
          value="${hoursUsual}"
        />`,
      html`<button class="btn btn-sm btn-primary">${icon("key")}Rotate</button>`
    )
  })
})

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const sent = yield* readForm(request.incoming)
    const { row } = yield* openedWebhook(request)
    const hours = Number(sent.get("hours") ?? hoursUsual)
    if (!(hours >= 0 && hours <= overlapHoursMax)) return yield* page(request, `Use 0 to ${overlapHoursMax} hours.`)
    const typed = sent.get("secret") ?? ""
    const secret = typed === "" ? undefined : typed
    const rotating = rotateSecret({ webhook: row.id, secret, overlapHours: hours, author: request.author })
    const made = yield* Effect.result(rotating)
    if (Result.isFailure(made)) {
      if (!(made.failure instanceof WriteRefused)) return yield* made.failure
      return yield* page(request, "The secret cannot be used: it is too long, or no valid key.")
    }
    if (made.success === undefined) return yield* notFound()
    // A reload of the page that shows the secret must not make another one.
    const cookies =
      secret === undefined
        ? [yield* carried(request, made.success)]
        : [flash({ deed: "saved", type: webhookType, id: row.id })]
    const to = secret === undefined ? request.url.pathname : pathOf(webhookType, row.id)
    return { ...redirect(to), cookies, written: [row.id] }
  })

const show: Handler = (request) =>
  Effect.gen(function* () {
    const { key: secret, cookies } = yield* arrived(request)
    if (secret === undefined) return yield* page(request)
    const { row, display } = yield* openedWebhook(request)
    const shown = yield* actPage(request, {
      ...{ id: row.id, display, title: "New secret of" },
      main: html`${onceCard("Save this secret now. It cannot be shown again.", [["Secret", secret]])}${backTo(row.id)}`
    })
    return { ...shown, cookies: [...(shown.cookies ?? []), ...cookies] }
  })

export default {
  path: `${pathOf(webhookType)}:id/rotate/`,
  access: webhookType,
  action: "change",
  changesSecrets: true,
  methods: { GET: show, POST: submit }
} satisfies Route
