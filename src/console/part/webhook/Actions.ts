/** What may be done with a webhook, beside writing it. */
import { Effect } from "effect"
import { objectType } from "../../../inventory/Registry.ts"
import type Webhook from "../../../inventory/types/extras/Webhook.ts"
import { byIds } from "../../../inventory/read/Read.ts"
import { type Html, html } from "../../Html.ts"
import { icon } from "../Icon.ts"
import { pathOf } from "../Title.ts"

const webhookType = objectType<typeof Webhook>("extras.webhook")

/** Links to the pages that ask first. */
export const webhookActions = Effect.fnUntraced(function* (id: number) {
  const [row] = yield* byIds(webhookType, [id])
  const path = pathOf(webhookType, id)
  const link = (step: string, title: string, sign: Html, key?: string): Html =>
    html`<a class="btn btn-sm" href="${path}${step}/" ${key === undefined ? "" : html` data-key="${key}"`}
      >${sign}${title}</a
    >`
  return html`${row?.paused === true ? link("resume", "Resume", icon("player-play"), "p") : link("pause", "Pause", icon("player-pause"), "p")}
  ${link("test", "Test", icon("send"), "t")} ${link("replay", "Replay", icon("history"))}
  ${link("rotate", "Rotate secret", icon("key"))}`
})
