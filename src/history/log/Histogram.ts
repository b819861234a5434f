/**
 * How many deliveries there were over time, by outcome.
 *
 * A count that would take long is estimated: unsuccessful deliveries are few and counted, of the others a sample is.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Where, allOf } from "../../inventory/derive/filter/Where.ts"
import { type Window, stepOf, within } from "./Window.ts"

/** Outcomes in the order in which bars show them. */
export const outcomes = ["successful", "queued", "sending", "retrying", "failed", "discarded"] as const
type Outcome = (typeof outcomes)[number]

interface Bucket {
  /** Milliseconds since 1970. */
  readonly sinceMillis: number
  readonly untilMillis: number
  readonly counts: Readonly<Record<Outcome, number>>
}

export interface Histogram extends Window {
  readonly stepSeconds: number
  readonly buckets: ReadonlyArray<Bucket>
  readonly totals: Readonly<Record<Outcome, number>>
  readonly total: number
  /** Whether the successful ones were estimated by a sample. */
  readonly isEstimated: boolean
}

/** Cost of counting in units of Postgres' planner from which on it is a sample: that of about a million rows. */
const costMax = 60_000

/** Cost of a sample. */
const sampleCost = 4_000

/** Smallest share of the pages that a sample reads, percent. */
const shareMin = 0.1

interface BucketRow {
  /** Begin of the bucket, seconds since 1970. */
  readonly at: number
  /** `any`: of all outcomes. */
  readonly status: Outcome | "any"
  readonly count: number
}

/** Counts of the deliveries that meet the condition and lie in the span. */
export const histogram = Effect.fnUntraced(function* (wanted: Where, asked: Window) {
  const sql = yield* SqlClient.SqlClient
  const window = yield* withinLog(asked)
  const stepSeconds = stepOf(window)
  const where = allOf(wanted, within(window))
  const starts = startsOf(window, stepSeconds)
  // A plan for any parameters could not use the index of unsuccessful deliveries.
  const count = (statement: string) => sql.unsafe<BucketRow>(statement, where.parameters).unprepared
  const unsuccessful = outcomesIn(starts, stepSeconds, where.sql)
  const cost = yield* costOf(where)
  if (cost <= costMax) {
    const counted = yield* count(`${unsuccessful} union all ${allIn(starts, stepSeconds, where.sql)}`)
    return filled(window, stepSeconds, withSuccessful(counted), false)
  }
  const percent = Math.max((100 * sampleCost) / cost, shareMin).toFixed(3)
  const sample = sampled(percent, stepSeconds, where.sql)
  const successful = (yield* count(sample)).map((each) => ({
    ...each,
    // A sample is good for two digits or three.
    count: Number(((each.count * 100) / Number(percent)).toPrecision(3))
  }))
  return filled(window, stepSeconds, [...successful, ...(yield* count(unsuccessful))], true)
})

/** SQL: the successful ones by bucket, of so much of the log. */
const sampled = (percent: string, stepSeconds: number, where: string): string =>
  `select extract(epoch from bucket)::float8 as at, 'successful' as status, count from (
     select date_bin('${stepSeconds} s', t.time, 'epoch') as bucket, count(*)::float8 as count
       from extras_delivery t tablesample system (${percent}) where (${where}) and t.status = 'successful' group by 1) g`

/** SQL: all by bucket. Each bucket is a range of the index on the time: that costs a third of grouping. */
const allIn = (starts: ReadonlyArray<number>, stepSeconds: number, where: string): string =>
  `select b.at, 'any' as status, (select count(*)::float8 from extras_delivery t
            where (${where}) and ${inBucket(stepSeconds)}) as count
     from ${bucketsOf(starts)}`

/** SQL: the unsuccessful ones by bucket and outcome, by ranges of their index. */
const outcomesIn = (starts: ReadonlyArray<number>, stepSeconds: number, where: string): string =>
  `select b.at, s.status, s.count from ${bucketsOf(starts)}, lateral (
     select ${unsuccessfulOnes.map((outcome) => `count(*) filter (where t.status = '${outcome}')::float8 as ${outcome}`).join(", ")}
       from extras_delivery t where (${where}) and t.status <> 'successful' and ${inBucket(stepSeconds)}) c,
     lateral (values ${unsuccessfulOnes.map((outcome) => `('${outcome}', c.${outcome})`).join(", ")}) s (status, count)`

const unsuccessfulOnes = outcomes.filter((outcome) => outcome !== "successful")

const bucketsOf = (starts: ReadonlyArray<number>): string =>
  `unnest(array[${starts.map((start) => start / 1000).join(", ")}]::float8[]) as b (at)`

const inBucket = (stepSeconds: number): string =>
  `t.time >= to_timestamp(b.at) and t.time < to_timestamp(b.at + ${stepSeconds})`

/** Successful deliveries of a bucket = all - unsuccessful. */
const withSuccessful = (counted: ReadonlyArray<BucketRow>): ReadonlyArray<BucketRow> => {
  const others = Map.groupBy(
    counted.filter(({ status }) => status !== "any"),
    ({ at }) => at
  )
  return counted.map((each) => {
    if (each.status !== "any") return each
    const rest = (others.get(each.at) ?? []).reduce((left, { count }) => left - count, each.count)
    return { at: each.at, status: "successful", count: rest }
  })
}

/** Longest span that is shown as requested, milliseconds; a longer one begins with the log. */
const spanMillis = 2 * 86_400_000

const withinLog = Effect.fnUntraced(function* ({ sinceMillis, untilMillis }: Window) {
  if (untilMillis - sinceMillis <= spanMillis) return { sinceMillis, untilMillis }
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly oldest: number | null }>(
    "select floor(extract(epoch from min(time)))::float8 * 1000 as oldest from extras_delivery"
  )
  const oldest = Math.max(sinceMillis, row?.oldest ?? sinceMillis)
  return { sinceMillis: Math.min(oldest, untilMillis), untilMillis }
})

/** The cost of counting, as the planner estimates it. */
const costOf = Effect.fnUntraced(function* ({ sql: condition, parameters }: Where) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{
    readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: { "Total Cost": number } }>
  }>(`explain (format json) select count(*) from extras_delivery t where ${condition}`, parameters).unprepared
  return row!["QUERY PLAN"][0]!.Plan["Total Cost"]
})

/** Where the buckets of a span begin, milliseconds since 1970. */
const startsOf = ({ sinceMillis, untilMillis }: Window, stepSeconds: number): ReadonlyArray<number> => {
  const stepMillis = stepSeconds * 1000
  const first = Math.floor(sinceMillis / stepMillis) * stepMillis
  return Array.from({ length: Math.ceil((untilMillis - first) / stepMillis) }, (_, n) => first + n * stepMillis)
}

const filled = (
  window: Window,
  stepSeconds: number,
  counted: ReadonlyArray<BucketRow>,
  isEstimated: boolean
): Histogram => {
  const stepMillis = stepSeconds * 1000
  const known = Map.groupBy(counted, ({ at }) => at * 1000)
  const buckets = startsOf(window, stepSeconds).map((start) => ({
    sinceMillis: Math.max(start, window.sinceMillis),
    untilMillis: Math.min(start + stepMillis, window.untilMillis),
    counts: countsOf(known.get(start) ?? [])
  }))
  const totals = countsOf(counted)
  const total = Object.values(totals).reduce((sum, each) => sum + each, 0)
  return { ...window, stepSeconds, buckets, totals, total, isEstimated }
}

const countsOf = (counted: ReadonlyArray<BucketRow>): Bucket["counts"] => {
  const counts = { successful: 0, queued: 0, sending: 0, retrying: 0, failed: 0, discarded: 0 }
  for (const { status, count } of counted) if (status !== "any") counts[status] += count
  return counts
}
