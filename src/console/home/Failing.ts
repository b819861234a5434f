/** The webhooks with failed deliveries, of what the reader may view. */
import { Effect } from "effect"
import { failedDeliveries } from "../../history/health/FailedDeliveries.ts"
import { type Unhealthy, unhealthyWebhooks } from "../../history/health/Unhealthy.ts"
import { mayView } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { stateDot } from "../webhook/Health.ts"
import { pathOf } from "../value/Title.ts"

const deliveryType = objectType("extras.delivery")
const webhookType = objectType("extras.webhook")

/** Most failed deliveries that are counted, and most webhooks that are named. */
const countedMax = 1000
const namedMax = 5

export const failingWebhooks = Effect.gen(function* () {
  if (!((yield* mayView(deliveryType)) && (yield* mayView(webhookType)))) return html``
  const failing = yield* failedDeliveries({ countedMax, namedMax })
  const list = pathOf(deliveryType)
  const unhealthy = yield* unhealthyWebhooks
  return html`${unhealthy.length === 0 ? "" : needLook(unhealthy)}
    <section class="card" aria-labelledby="failing">
      <div class="ch"><h2 id="failing">Failed deliveries</h2></div>
      ${
        failing.length === 0
          ? html`<p class="note sub">No delivery has used up its retries.</p>`
          : html`<ul class="rel">
              ${failing.map(
                ({ id, name, count }) =>
                  html`<li>
                    <a href="${list}?webhook_id=${id}&status=failed&time__gte=1970-01-01"
                      >${name}<span class="cnt">${count}${count < countedMax ? "" : " or more"}</span></a
                    >
                  </li>`
              )}
            </ul>`
      }
    </section>`
})

const needLook = (unhealthy: ReadonlyArray<Unhealthy>): Html =>
  html`<section class="card" aria-labelledby="need-look">
    <div class="ch"><h2 id="need-look">Webhooks that need attention</h2></div>
    <ul class="rel">
      ${unhealthy.slice(0, namedMax).map(
        (each) =>
          html`<li>
            <a href="${pathOf(webhookType, each.webhook)}"
              >${stateDot(each)}<span>${each.name}<span class="sub">: ${each.sentence}</span></span></a
            >
          </li>`
      )}
    </ul>
    ${unhealthy.length > namedMax ? html`<p class="note sub">And ${unhealthy.length - namedMax} more.</p>` : ""}
  </section>`
