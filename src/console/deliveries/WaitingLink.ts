/** The way to the deliveries that wait. */
import { deliveryType } from "../../log/DeliveryRows.ts"
import { type Html, html } from "../Html.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"

export const waitingPath = `${pathOf(deliveryType)}waiting/`

/** How many wait for a webhook, as a link to them. */
export const waitingLink = (webhook: number, count: number): Html =>
  html`<a href="${waitingPath}?webhook_id=${webhook}">${number(count)}</a>`
