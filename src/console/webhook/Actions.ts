/** Actions on a webhook, beside writing it. */
import { Effect } from "effect"
import { openBreakers } from "../../log/BreakerTable.ts"
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"
import { pathOf } from "../value/Title.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** The button that has the open circuit breaker of a webhook probed; `action`: the address of the form. */
export const probeForm = (request: Request, action: string): Html =>
  html`<form method="post" action="${action}">
    ${csrfInput(request)}<button class="btn btn-sm btn-primary">${icon("send")}Probe now</button>
  </form>`

/** Links to the pages that require a confirmation, and buttons of the actions that run at once. */
export const webhookActions = Effect.fnUntraced(function* (id: number, request: Request) {
  const [row] = yield* byIds(webhookType, [id])
  const isHeld = row?.enabled === true && row.paused !== true && (yield* openBreakers(id)).length > 0
  const path = pathOf(webhookType, id)
  const link = (step: string, title: string, sign: Html, key?: string): Html =>
    html`<a class="btn btn-sm" href="${path}${step}/" ${key === undefined ? "" : html` data-key="${key}"`}
      >${sign}${title}</a
    >`
  return html`${isHeld ? probeForm(request, `${path}probe/`) : ""}${row?.paused === true ? link("resume", "Resume", icon("player-play"), "p") : link("pause", "Pause", icon("player-pause"), "p")}
  ${link("test", "Test", icon("send"), "t")} ${link("replay", "Replay", icon("history"))}
  ${link("rotate", "Rotate secret", icon("key"))}`
})
