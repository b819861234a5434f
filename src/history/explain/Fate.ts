/** The outcomes of a change's deliveries: in words where the delivery log has no row yet. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { cleared } from "../../inventory/Clearance.ts"
import { allOf, asTexts, isNothing } from "../../inventory/derive/filter/Where.ts"
import type { Position } from "../../event/Position.ts"
import { deliveryId } from "../../event/Delivery.ts"
import { openBreakerOf } from "../../log/BreakerTable.ts"
import { type OpenBreaker, byBreaker } from "../health/Held.ts"
import { watermarkTable } from "../../queue/reconcile/Watermarks.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

/**
 * `held`: queued, and its webhook is paused or disabled. `unknown`: there is no record. The others are statuses of the
 * delivery log.
 */
type FateState = "queued" | "held" | "sending" | "retrying" | "successful" | "failed" | "discarded" | "unknown"

export interface Fate {
  readonly state: FateState
  /** A sentence: why it waits, or the result of the last attempt. */
  readonly reason: string
  /** The row of the delivery log; absent before the first attempt. */
  readonly delivery?: LoggedFate
}

interface LoggedFate {
  readonly id: number
  readonly delivery_id: string
  readonly status: Exclude<FateState, "held" | "unknown">
  readonly attempts: number
  readonly first_attempt: string | null
  readonly last_attempt: string | null
  readonly next_attempt: string | null
  readonly response_status: number | null
  readonly message: string
}

/** A change, and the time of its commit. */
interface EventPlace extends Position {
  readonly time: string
  readonly objectType: string
  readonly objectId: number
}

/** The state of a webhook now. */
interface Now {
  readonly id: number
  readonly is_there: boolean
  readonly enabled: boolean
  readonly paused: boolean
  readonly rate_limit: string | null
  /** How long its deliveries wait for others; null where each is sent by itself. */
  readonly seconds: string | null
  readonly is_appended: boolean
  readonly is_open: boolean
  readonly breaker: OpenBreaker | null
}

/** `breaker`: SQL, the open breaker of `u.id`. */
const nowStatement = (breaker: string): string => `
  select u.id::float8 as id, w.id is not null as is_there, coalesce(w.enabled, false) as enabled,
         coalesce(w.paused, false) as paused, w.rate_limit::text as rate_limit, w.batch ->> 'seconds' as seconds,
         coalesce((m.appended_position, m.appended_idx) >= ($2::bigint, $3::bigint), false) as is_appended,
         coalesce((m.open_position, m.open_idx) <= ($2::bigint, $3::bigint), false) as is_open,
         ${breaker} as breaker
    from unnest($1::text[]::bigint[]) as u (id)
    left join extras_webhook w on w.id = u.id
    left join ${watermarkTable.name} m on m.webhook_id = u.id`

/** Fates of the deliveries to these webhooks, by webhook; undefined for readers who may view no deliveries. */
export const fatesOf = Effect.fnUntraced(function* (change: EventPlace, webhooks: ReadonlyArray<number>) {
  const visible = yield* cleared(deliveryType, "view")
  if (isNothing(visible)) return undefined
  const sql = yield* SqlClient.SqlClient
  const logged = yield* loggedFor(change, webhooks)
  const states = yield* sql.unsafe<Now>(nowStatement(yield* openBreakerOf("u.id")), [
    asTexts(webhooks),
    `${change.position}`,
    `${change.idx}`
  ])
  return new Map(states.map((now) => [now.id, fateOf(now, logged.get(now.id))]))
})

/** The first deliveries of a change to these webhooks in the delivery log; replays and tests have other ids. */
const loggedFor = Effect.fnUntraced(function* (change: EventPlace, webhooks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const ids = new Map(webhooks.map((webhook) => [deliveryId(webhook, `${change.position}`, change.idx), webhook]))
  const where = allOf(
    {
      sql: "t.delivery_id = any ($1::text[]) and t.time = $2::timestamptz",
      parameters: [[...ids.keys()], change.time]
    },
    yield* cleared(deliveryType, "view")
  )
  const rows = yield* sql.unsafe<{ readonly row: LoggedFate }>(
    `select json_build_object('id', t.id, 'delivery_id', t.delivery_id, 'status', t.status, 'attempts', t.attempts,
              'first_attempt', ${iso("t.first_attempt")}, 'last_attempt', ${iso("t.last_attempt")},
              'next_attempt', ${iso("t.next_attempt")}, 'response_status', t.response_status,
              'message', left(t.message, 500)) as row
       from ${deliveryType.table} t where ${where.sql}`,
    where.parameters
  )
  return new Map(rows.map(({ row }) => [ids.get(row.delivery_id)!, row]))
})

/** SQL: a time as the API shows it. */
export const iso = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const fateOf = (now: Now, row: LoggedFate | undefined): Fate => {
  const waits = waitsFor(now)
  if (row !== undefined) {
    const isWaiting = row.status === "retrying" || row.status === "queued"
    const held = isWaiting && (now.paused || !now.enabled)
    return { state: held ? "held" : row.status, reason: (isWaiting && waits) || answerOf(row), delivery: row }
  }
  if (!now.is_there) return { state: "discarded", reason: "The webhook was deleted before the first attempt." }
  if (!now.is_appended) return { state: "queued", reason: "It is being queued." }
  if (!now.is_open) return { state: "unknown", reason: "There is no record of a delivery." }
  return { state: now.paused || !now.enabled ? "held" : "queued", reason: waits ?? "It waits for its first attempt." }
}

/** Why deliveries of a webhook wait now; undefined if nothing is known to stop them. */
const waitsFor = ({ enabled, paused, rate_limit: rate, seconds, breaker }: Now): string | undefined => {
  if (!enabled) return "The webhook is disabled; the delivery waits until it is enabled."
  if (paused) return "The webhook is paused; the delivery is held until it is resumed."
  if (breaker !== null) return `It is held ${byBreaker(breaker)}.`
  if (rate !== null) return `It waits its turn: the webhook sends at most ${Number(rate)} per second.`
  return seconds === null ? undefined : `It is gathered with others into a batch, for ${Number(seconds)} s at most.`
}

const answerOf = ({ message, response_status: status }: LoggedFate): string =>
  message !== "" ? message : status === null ? "" : `The receiver answered ${status}.`
