/** Traffic of webhooks in the last hours, from the counts that the log keeps (log/Traffic.ts). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { bucketEndsMillis, spanMinutes, trafficTable } from "../../log/Traffic.ts"
import { quantileMillis } from "./Quantile.ts"

export interface Traffic {
  readonly attempts: number
  readonly delivered: number
  /** By the first attempt of their delivery. */
  readonly atOnce: number
  /** Deliveries that will not be attempted again. */
  readonly failed: number
  /** How long attempts took. */
  readonly p50Millis: number | undefined
  readonly p95Millis: number | undefined
  readonly p99Millis: number | undefined
  /** From the commit to the receipt, for events that were delivered at once. */
  readonly sinceCommitP95Millis: number | undefined
}

export const noTraffic: Traffic = {
  attempts: 0,
  delivered: 0,
  atOnce: 0,
  failed: 0,
  p50Millis: undefined,
  p95Millis: undefined,
  p99Millis: undefined,
  sinceCommitP95Millis: undefined
}

/** The attempts of a span of time. */
export interface Span extends Pick<Traffic, "attempts" | "delivered" | "failed" | "p50Millis" | "p95Millis"> {
  /** Its begin, ISO 8601. */
  readonly since: string
}

interface TrafficRow extends Pick<Traffic, "attempts" | "delivered" | "atOnce" | "failed"> {
  readonly took: ReadonlyArray<number>
  readonly sinceCommit: ReadonlyArray<number>
}

interface CountedOf extends TrafficRow {
  readonly webhook: number
}

const sums = (column: string): string =>
  `json_build_array(${Array.from({ length: bucketEndsMillis.length + 1 }, (_, at) => `sum(${column}[${at + 1}])`).join(", ")})`

const counted = `'attempts', sum(attempts), 'delivered', sum(delivered), 'atOnce', sum(at_once), 'failed', sum(failed),
  'took', ${sums("took")}, 'sinceCommit', ${sums("since_commit")}`

const trafficIn = ({ attempts, delivered, atOnce, failed, took, sinceCommit }: TrafficRow): Traffic => ({
  attempts,
  delivered,
  atOnce,
  failed,
  p50Millis: quantileMillis(took, 0.5),
  p95Millis: quantileMillis(took, 0.95),
  p99Millis: quantileMillis(took, 0.99),
  sinceCommitP95Millis: quantileMillis(sinceCommit, 0.95)
})

/** The traffic of each of the webhooks that had any. */
export const trafficOf = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>, hours: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly counted: CountedOf }>(
    `select json_build_object('webhook', webhook_id, ${counted}) as counted from ${trafficTable.name}
      where webhook_id = any ($1::text[]::bigint[]) and since > now() - make_interval(hours => $2::int) group by webhook_id`,
    [asTexts(webhooks), hours]
  )
  return new Map(rows.map(({ counted }) => [counted.webhook, trafficIn(counted)]))
})

/** The traffic of the last 24 hours of all these webhooks together. */
export const trafficTogether = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly counted: TrafficRow }>(
    `select json_build_object(${counted}) as counted from ${trafficTable.name}
      where webhook_id = any ($1::text[]::bigint[]) and since > now() - interval '24 hours' having count(*) > 0`,
    [asTexts(webhooks)]
  )
  return row === undefined ? noTraffic : trafficIn(row.counted)
})

/** The time that a chart shows: its spans are `minutes` long, and the last one is now. */
export interface Window {
  readonly hours: number
  /** A multiple of `spanMinutes`. */
  readonly minutes: number
}

/** A day by the hour. */
export const dayByHour: Window = { hours: 24, minutes: 60 }

/** A day as it is kept. */
export const wholeDay: Window = { hours: 24, minutes: spanMinutes }

interface CountedSpan extends CountedOf {
  /** Begins of this span and of the one that is now, milliseconds since 1970. */
  readonly sinceMillis: number
  readonly nowMillis: number
}

const millis = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`

/** The spans of the window for each of the webhooks that had any traffic in it, empty spans included. */
export const spansOf = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>, { hours, minutes }: Window) {
  const sql = yield* SqlClient.SqlClient
  const count = (hours * 60) / minutes
  const rows = yield* sql.unsafe<{ readonly span: CountedSpan }>(
    `select json_build_object('webhook', webhook_id, 'sinceMillis', ${millis("bin")}, 'nowMillis', ${millis("last")},
                              ${counted}) as span
       from (select t.*, last, date_bin($2::interval, since, 'epoch') as bin
               from ${trafficTable.name} t, (select date_bin($2::interval, now(), 'epoch') as last) w
              where webhook_id = any ($1::text[]::bigint[]) and since >= last - ($3::int - 1) * $2::interval) t
      group by webhook_id, bin, last`,
    [asTexts(webhooks), `${minutes} minutes`, count]
  )
  const byWebhook = Map.groupBy(
    rows.map(({ span }) => span),
    ({ webhook }) => webhook
  )
  return new Map([...byWebhook].map(([webhook, spans]) => [webhook, filled(spans, count, minutes * 60_000)]))
})

const filled = (spans: ReadonlyArray<CountedSpan>, count: number, spanMillis: number): ReadonlyArray<Span> => {
  const found = new Map(spans.map((span) => [span.sinceMillis, trafficIn(span)]))
  const first = spans[0]!.nowMillis - (count - 1) * spanMillis
  return Array.from({ length: count }, (_, at) => {
    const since = first + at * spanMillis
    return { ...(found.get(since) ?? noTraffic), since: new Date(since).toISOString() }
  })
}
