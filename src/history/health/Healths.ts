/** How webhooks are: their traffic, what waits for them, and their open circuit breakers. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import type { RowOf } from "../../inventory/Field.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import { trafficTable } from "../../log/Traffic.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { openBreakerOf } from "../../log/BreakerTable.ts"
import type { OpenBreaker } from "./Held.ts"
import { type Span, type Traffic, dayByHour, noTraffic, spansOf, trafficOf } from "./Traffic.ts"
import { type HealthState, type WebhookHealth, webhookHealth } from "./WebhookHealth.ts"

type WebhookRow = Pick<RowOf<typeof Webhook>, "id" | "paused" | "disabled_note" | "health" | "health_since">

export interface Health extends WebhookHealth {
  readonly webhook: number
  readonly paused: boolean
  /** The last 24 hours. */
  readonly day: Traffic
  /** The same by the hour; empty if there was none. */
  readonly hours: ReadonlyArray<Span>
  /** Deliveries that are queued, sent or retried. */
  readonly waiting: number
  readonly breaker: OpenBreaker | undefined
  /** ISO 8601; undefined if there was none in the days that are kept. */
  readonly lastAttempt: string | undefined
  /** The status of the last answer, or the reason why there was none. */
  readonly lastAnswer: string | undefined
}

interface Now {
  readonly id: number
  readonly waiting: number
  readonly breaker: OpenBreaker | null
  readonly last: { readonly time: string; readonly answer: string } | null
}

const iso = (time: string): string => `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const nowOf = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly now: Now }>(
    `select json_build_object('id', w.id, 'waiting', coalesce(b.queued + b.pending + b.waiting, 0),
              'breaker', ${yield* openBreakerOf("w.id")},
              'last', (select json_build_object('time', ${iso("t.last_attempt")}, 'answer', t.last_answer)
                         from ${trafficTable.name} t where t.webhook_id = w.id order by t.since desc, t.last_attempt desc limit 1)) as now
       from unnest($1::text[]::bigint[]) as w (id) left join ${backlogTable.name} b on b.webhook_id = w.id`,
    [asTexts(webhooks)]
  )
  return new Map(rows.map(({ now }) => [now.id, now]))
})

/** How many deliveries wait for these webhooks or are under way, as the sweeper saw it last. */
export const waitingCount = (webhooks: ReadonlyArray<number>) =>
  Effect.map(nowOf(webhooks), (now) => [...now.values()].reduce((sum, { waiting }) => sum + waiting, 0))

/** In the order of the rows. */
export const healthOf = Effect.fnUntraced(function* (webhooks: ReadonlyArray<WebhookRow>) {
  const ids = webhooks.map(({ id }) => id)
  const [now, days, hours, spans] = yield* Effect.all([
    nowOf(ids),
    trafficOf(ids, 24),
    trafficOf(ids, 1),
    spansOf(ids, dayByHour)
  ])
  return webhooks.map(({ id, disabled_note: note, health, health_since: since, ...row }): Health => {
    const { waiting = 0, breaker, last } = now.get(id) ?? {}
    const day = days.get(id) ?? noTraffic
    const known = { waiting, day, breaker: breaker ?? undefined, paused: row.paused === true }
    return {
      ...webhookHealth({
        ...known,
        ...{ health: health as HealthState, since, disabledNote: note ?? "" },
        hour: hours.get(id) ?? noTraffic
      }),
      ...known,
      webhook: id,
      hours: spans.get(id) ?? [],
      lastAttempt: last?.time,
      lastAnswer: last?.answer
    }
  })
})
