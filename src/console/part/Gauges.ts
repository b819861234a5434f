/** How the engine is, at the head of every page: how far capture is behind, what is queued, what failed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { mayWatch } from "../../http/describe/MetricsAccess.ts"
import type { Request } from "../../http/Route.ts"
import { visibleToSender } from "../../inventory/Clearance.ts"
import { objectType } from "../../inventory/Registry.ts"
import { allOf } from "../../inventory/derive/filter/Where.ts"
import { type Html, html } from "../Html.ts"
import { number } from "./list/Pager.ts"
import { pathOf } from "./Title.ts"

const deliveryType = objectType("extras.delivery")

/** Counts of failed deliveries stop here. */
const countedMax = 1000

/** From this lag on capture is behind, milliseconds. */
const behindMillis = 5000

interface Told {
  /** Of the process that leads; null while none does. */
  readonly lagMillis: number | null
  readonly queued: number
  readonly failed: number
}

/** The gauges; empty for readers who may view no deliveries. Numbers of the whole service need access to its state. */
export const gauges = Effect.fnUntraced(function* (request: Request) {
  const visible = (yield* visibleToSender)(deliveryType)
  if (visible.sql === "false") return html``
  const watches = yield* mayWatch(request)
  const sql = yield* SqlClient.SqlClient
  const failed = allOf({ sql: "t.status = 'failed'", parameters: [] }, visible)
  const [told] = yield* sql.unsafe<Told>(
    `select (select max((parts #>> '{capture,lagMillis}')::float8) from rackwire_process
              where seen > now() - interval '15 seconds' and parts #>> '{capture,leads}' = 'true') as "lagMillis",
            (select coalesce(sum(queued + waiting), 0)::float8 from rackwire_backlog) as queued,
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
              ><span class="dot ${state}"></span>WAL ${lagMillis === null ? "nobody reads" : duration(lagMillis)}</span
            ><a
              class="gauge"
              href="${deliveries}?status=queued&status=sending&status=retrying"
              title="Deliveries that wait"
              ><span class="dot"></span>${number(queued)} queued</a
            >`
        : ""
    }<a class="gauge" href="${deliveries}?status=failed" title="Deliveries that used up their retries"
      ><span class="dot ${failed > 0 ? "bad" : "ok"}"></span>${number(failed)}${failed < countedMax ? "" : " or more"}
      failed</a
    >
  </div>`
}

/** 1250 -> `1.3 s`. */
const duration = (millis: number): string =>
  millis < 1000
    ? `${Math.round(millis)} ms`
    : millis < 60_000
      ? `${(millis / 1000).toFixed(1)} s`
      : `${Math.round(millis / 60_000)} min`
