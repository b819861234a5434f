/** A webhook whose reader may change it, for the pages that act on it. */
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { opened } from "../form/Opened.ts"
import { framed } from "../frame/Frame.ts"
import { groupOf } from "../frame/Menu.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

export const webhookType = objectType<typeof Webhook>("extras.webhook")

export const openedWebhook = (request: Request) => opened(webhookType, request, "change")

interface Act {
  readonly id: number
  readonly display: string
  readonly title: string
  readonly main: Html
  /** Why it was not done. */
  readonly problem?: string | undefined
}

/** A page that requires a confirmation to act on a webhook, or says why it did not. */
export const actPage = (request: Request, { id, display, title, main, problem }: Act) =>
  framed(request, {
    title: `${title} ${display}`,
    crumbs: [[groupOf(webhookType)], [pluralOf(webhookType), pathOf(webhookType)], [display, pathOf(webhookType, id)]],
    main: html`${problem === undefined ? "" : html`<div class="alert-line alert-bad" role="alert">${problem}</div>`}${main}`,
    // A page that only says what cannot be done now is no failure.
    status: problem === undefined || request.incoming.method !== "POST" ? 200 : 400
  })

/** The form of such a page: its inputs, and the buttons that act. */
export const actForm = (request: Request, id: number, asked: Html, buttons: Html): Html =>
  html`<form class="card object-form" method="post" autocomplete="off">
    ${csrfInput(request)}${asked}
    <div class="form-end">${buttons}<a class="btn btn-sm" href="${pathOf(webhookType, id)}">Cancel</a></div>
  </form>`

/** The way back, for pages without a form. */
export const backTo = (id: number): Html =>
  html`<p><a class="btn btn-sm" href="${pathOf(webhookType, id)}">Back to the webhook</a></p>`
