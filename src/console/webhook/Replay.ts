/** `/extras/webhooks/<id>/replay/`: sends past events again that the webhook's conditions accept now. */
import { Clock, Effect } from "effect"
import { askForReplay, momentOf, replayType } from "../../requests/Replay.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Messages } from "../../inventory/Field.ts"
import { html } from "../Html.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"
import { actForm, actPage, openedWebhook, webhookType } from "./Opened.ts"

const page = Effect.fnUntraced(function* (request: Request, sent?: URLSearchParams, problem?: string) {
  const { row, display } = yield* openedWebhook(request)
  const field = (name: string, title: string, hint: string) =>
    html`<label class="form-label" for="${name}">${title}</label>
      <input
        class="field-in"
        id="${name}"
        name="${name}"
        maxlength="40"
        autocomplete="off"
        placeholder="2026-11-20 or 2026-11-20T14:00Z"
        value="${sent?.get(name) ?? ""}"
        aria-describedby="${name}-hint"
      />
      <p class="hint" id="${name}-hint">${hint}</p>`
  return yield* actPage(request, {
    ...{ id: row.id, display, title: "Replay", problem },
    main: actForm(
      request,
      row.id,
      html`<p>
          Sends the events of a time again that the webhook's object types and conditions accept as they are now, each
          under a delivery id of its own. A dry run counts them and sends nothing.
        </p>
        ${field("since", "From", "A day, which begins at midnight UTC, or a moment.")}
        ${field("until", "Until", "Blank means now.")}`,
      html`<button class="btn btn-sm btn-primary" name="dry_run" value="1">${icon("eye")}Dry run</button>
        <button class="btn btn-sm" name="dry_run" value="">${icon("send")}Replay</button>`
    )
  })
})

const wordsOf = (name: string, messages: Messages, sent: URLSearchParams): string =>
  inWordsAll({ type: replayType, name, messages, input: sent.get(name) ?? undefined })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const sent = yield* readForm(request.incoming)
    const { row } = yield* openedWebhook(request)
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    const since = momentOf(sent.get("since")?.trim() ?? "")
    const until = (sent.get("until")?.trim() ?? "") === "" ? { value: now } : momentOf(sent.get("until"))
    if ("errors" in since) return yield* page(request, sent, `From: ${wordsOf("since", since.errors, sent)}`)
    if ("errors" in until) return yield* page(request, sent, `Until: ${wordsOf("until", until.errors, sent)}`)
    const dryRun = sent.get("dry_run") === "1"
    const askedBy = request.author.userId
    const id = yield* askForReplay({ webhook: row.id, since: since.value, until: until.value, dryRun, askedBy })
    return { ...redirect(pathOf(replayType, id)), written: [row.id] }
  })

export default {
  path: `${pathOf(webhookType)}:id/replay/`,
  access: webhookType,
  action: "change",
  methods: { GET: (request) => page(request), POST: submit }
} satisfies Route
