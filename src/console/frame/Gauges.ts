/** How the engine is, at the head of every page: how far capture is behind, what is queued, what failed. */
import { Effect } from "effect"
import { type Gauges, gaugesOf } from "../../history/tasks/Gauges.ts"
import { mayWatch } from "../../http/system/MetricsAccess.ts"
import { mayView } from "../../inventory/Clearance.ts"
import type { Request } from "../../http/wire/Request.ts"
import { objectType } from "../../inventory/Registry.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { type Html, html } from "../Html.ts"
import { durationText } from "../value/Duration.ts"
import { number } from "../list/Pager.ts"
import { pathOf } from "../value/Title.ts"
import { waitingPath } from "../deliveries/WaitingLink.ts"

const deliveryType = objectType("extras.delivery")

/** Counts of failed deliveries stop here. */
const countedMax = 1000

/** From this lag on capture is behind, milliseconds. */
const behindMillis = 5000

/** The gauges; empty for readers who may view no deliveries. Numbers of the whole service need access to its state. */
export const gauges = (request: Request) =>
  // They are beside every page: a page that can be read is shown without them.
  Effect.catch(readGauges(request), (error) =>
    Effect.as(Effect.logWarning(`console: the gauges cannot be read: ${inWords(error)}`), unavailable)
  )

const unavailable = html`<div class="gauges" data-gauges><span class="gauge">State unavailable</span></div>`

const readGauges = Effect.fnUntraced(function* (request: Request) {
  if (!(yield* mayView(deliveryType))) return html``
  return shown(yield* gaugesOf(countedMax), yield* mayWatch(request))
})

const shown = ({ lagMillis, queued, failed }: Gauges, watches: boolean): Html => {
  const state = lagMillis === null || lagMillis > behindMillis ? "bad" : "ok"
  const deliveries = pathOf(deliveryType)
  return html`<div class="gauges" data-gauges>
    ${
      watches
        ? html`<span class="gauge" title="How far capture is behind the newest commit"
              ><span class="dot ${state}"></span>WAL
              ${lagMillis === null ? "nobody reads" : durationText(lagMillis)}</span
            ><a class="gauge" href="${waitingPath}" title="Deliveries that wait or are under way"
              ><span class="dot"></span>${number(queued)} waiting</a
            >`
        : ""
    }<a
      class="gauge"
      href="${deliveries}?status=failed&time__gte=1970-01-01"
      title="Deliveries that used up their retries"
      ><span class="dot ${failed > 0 ? "bad" : "ok"}"></span>${number(failed)}${failed < countedMax ? "" : " or more"}
      failed</a
    >
  </div>`
}
