/** The deliveries that a deletion of webhooks discards. */
import { Effect } from "effect"
import { waitingCount } from "../../history/health/Healths.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"
import { cleared } from "../../inventory/Clearance.ts"
import type { ObjectType } from "../../inventory/ObjectType.ts"
import { isEverything } from "../../inventory/derive/filter/Where.ts"
import { html } from "../Html.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"
import { number } from "../list/Pager.ts"

/** Says how many deliveries wait for these objects, if they are webhooks. */
export const waitingNote = Effect.fnUntraced(function* ({ id }: ObjectType, ids: ReadonlyArray<number>) {
  const count = id === "extras.webhook" ? yield* waitingCount(ids) : 0
  if (count === 0) return html``
  const text = `${number(count)} ${count === 1 ? "delivery waits" : "deliveries wait"}`
  const isOne = ids.length === 1
  const isLinked = isOne && isEverything(yield* cleared(deliveryType, "view"))
  return html`<p>
    <b>${isLinked ? html`<a href="${waitingPath}?webhook_id=${ids[0]!}">${text}</a>` : text}</b>
    for ${isOne ? "it" : "them"} or ${count === 1 ? "is" : "are"} under way. ${count === 1 ? "It" : "They"} will not be
    sent.
  </p>`
})
