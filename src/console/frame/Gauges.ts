/** How the engine is, at the head of every page: how far capture is behind, what is queued, what failed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mayWatch } from "../../http/system/MetricsAccess.ts"
import type { Request } from "../../http/wire/Request.ts"
import { isAlive } from "../../postgres/Presence.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
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

interface Told {
  /** Lag of the process that leads; null while none does. */
  readonly lagMillis: number | null
  readonly queued: number
  readonly failed: number
}

/** The gauges; empty for readers who may view no deliveries. Numbers of the whole service need access to its state. */
export const gauges = (request: Request) =>
  // They are beside every page: a page that can be read is shown without them.
  Effect.catch(readGauges(request), (error) =>
    Effect.as(Effect.logWarning(`console: the gauges cannot be read: ${inWords(error)}`), unavailable)
  )

const unavailable = html`<div class="gauges" data-gauges><span class="gauge">State unavailable</span></div>`

const readGauges = Effect.fnUntraced(function* (request: Request) {
  const visible = (yield* visibleToSender)(deliveryType)
  if (visible.sql === "false") return html``
  const watches = yield* mayWatch(request)
  const sql = yield* SqlClient.SqlClient
  const failed = allOf({ sql: "t.status = 'failed'", parameters: [] }, visible)
  const [told] = yield* sql.unsafe<Told>(
    `select (select max((parts #>> '{capture,lagMillis}')::float8) from rackwire_process
              where ${yield* isAlive} and parts #>> '{capture,leads}' = 'true') as "lagMillis",
            (select coalesce(sum(queued + pending + waiting), 0)::float8 from rackwire_backlog) as queued,
            (select count(*)::int from (select from ${deliveryType.table} t where ${failed.sql} limit ${countedMax}) f) as failed`,
    failed.parameters
  )
  return shown(told!, watches)
})

const shown = ({ lagMillis, queued, failed }: Told, watches: boolean): Html => {
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
