/**
 * The attempts of each webhook, counted by spans of ten minutes. The statement that writes the log counts them too, so
 * that lists and charts read a few rows and never count deliveries. A batch whose answer was lost is written again and
 * counted twice.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Table } from "../postgres/migrate/Table.ts"
import type { Attempt } from "./Attempt.ts"

/** Upper ends of the buckets of times, milliseconds; one more bucket has longer times. */
export const bucketEndsMillis: ReadonlyArray<number> = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000
]

const buckets = bucketEndsMillis.length + 1

export const spanMinutes = 10

/** Days that the counts are kept. */
const keptDays = 8

/** One row per webhook, span and process: processes do not wait for each other's row. */
export const trafficTable: Table = {
  name: "rackwire_traffic",
  daily: false,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "since", type: "timestamp with time zone", nullable: false },
    { name: "process", type: "text", nullable: false },
    { name: "attempts", type: "bigint", nullable: false },
    { name: "delivered", type: "bigint", nullable: false },
    // By the first attempt of their delivery.
    { name: "at_once", type: "bigint", nullable: false },
    // Deliveries that will not be attempted again.
    { name: "failed", type: "bigint", nullable: false },
    // Attempts by how long they took, and delivered ones by the time since their commit, in buckets.
    { name: "took", type: "bigint[]", nullable: false },
    { name: "since_commit", type: "bigint[]", nullable: false },
    { name: "last_attempt", type: "timestamp with time zone", nullable: false },
    // The status of the last answer, or the reason why there was none.
    { name: "last_answer", type: "text", nullable: false }
  ],
  constraints: [{ name: "rackwire_traffic_key", sql: "unique (webhook_id, since, process)" }],
  indexes: [{ name: "rackwire_traffic_since", sql: "(since)", unique: false }],
  triggers: [],
  published: false
}

interface Tally {
  attempts: number
  delivered: number
  atOnce: number
  failed: number
  readonly took: Array<number>
  readonly sinceCommit: Array<number>
  latest: Attempt
}

/** The bucket of a time in milliseconds. */
export const bucketOf = (millis: number): number => {
  const at = bucketEndsMillis.findIndex((end) => millis <= end)
  return at < 0 ? bucketEndsMillis.length : at
}

/** The counts of a batch by webhook. */
const tallied = (attempts: ReadonlyArray<Attempt>): ReadonlyMap<number, Tally> => {
  const tallies = new Map<number, Tally>()
  // The events of a transaction have one time.
  let commit = { time: "", millis: 0 }
  for (const attempt of attempts) {
    const { entry, outcome } = attempt
    const { webhook } = entry.delivery
    let tally = tallies.get(webhook)
    if (tally === undefined) {
      const zeros = () => Array.from({ length: buckets }, () => 0)
      tally = { attempts: 0, delivered: 0, atOnce: 0, failed: 0, took: zeros(), sinceCommit: zeros(), latest: attempt }
      tallies.set(webhook, tally)
    }
    tally.attempts += 1
    tally.took[bucketOf(attempt.durationMillis)]! += 1
    if (attempt.started >= tally.latest.started) tally.latest = attempt
    if (outcome.kind === "Dead") tally.failed += 1
    if (outcome.kind !== "Delivered") continue
    tally.delivered += 1
    if (attempt.number > 1) continue
    tally.atOnce += 1
    // A replay or a test sends an event of long ago.
    const { id, time } = entry.delivery
    if (isOfThePast(id)) continue
    if (commit.time !== time) commit = { time, millis: Date.parse(time) }
    tally.sinceCommit[bucketOf(attempt.started + attempt.durationMillis - commit.millis)]! += 1
  }
  return tallies
}

/** Ids of replays and tests end with what they are of; others end with the index of the change. */
const isOfThePast = (id: string): boolean => "rt".includes(id[id.lastIndexOf("-") + 1]!)

const sum = (name: string): string => `${name} = t.${name} + excluded.${name}`

const sumOfBuckets = (name: string): string =>
  `${name} = array[${Array.from({ length: buckets }, (_, at) => `t.${name}[${at + 1}] + excluded.${name}[${at + 1}]`).join(", ")}]`

const types = ["bigint", "bigint", "bigint", "bigint", "bigint", "bigint[]", "bigint[]", "timestamptz", "text"]

/** Adds the counts to their span; its parameters begin with number `from`. */
export const trafficStatement = (from: number): string => {
  const values = types.map((type, at) => `c${at}::${type}`)
  const arrays = types.map((_, at) => `$${from + 1 + at}::text[]`)
  return `
    insert into ${trafficTable.name} as t (process, since, webhook_id, attempts, delivered, at_once, failed, took,
                                           since_commit, last_attempt, last_answer)
    select $${from}, date_bin('${spanMinutes} minutes', now(), 'epoch'), ${values.join(", ")}
      from unnest(${arrays.join(", ")}) as u (${types.map((_, at) => `c${at}`).join(", ")})
    on conflict (webhook_id, since, process) do update set ${["attempts", "delivered", "at_once", "failed"].map(sum).join(", ")},
      ${sumOfBuckets("took")}, ${sumOfBuckets("since_commit")},
      last_attempt = excluded.last_attempt, last_answer = excluded.last_answer`
}

export const trafficParameters = (processName: string, attempts: ReadonlyArray<Attempt>): ReadonlyArray<unknown> => {
  const tallies = [...tallied(attempts)]
  const column = (value: (tally: Tally, webhook: number) => string) =>
    tallies.map(([webhook, tally]) => value(tally, webhook))
  return [
    processName,
    column((_, webhook) => `${webhook}`),
    column(({ attempts }) => `${attempts}`),
    column(({ delivered }) => `${delivered}`),
    column(({ atOnce }) => `${atOnce}`),
    column(({ failed }) => `${failed}`),
    column(({ took }) => `{${took}}`),
    column(({ sinceCommit }) => `{${sinceCommit}}`),
    column(({ latest }) => new Date(latest.started).toISOString()),
    column(({ latest: { answer } }) => `${answer.response?.status ?? answer.failure?.reason ?? ""}`)
  ]
}

/** Deletes the counts that are no longer kept. */
export const forgetTraffic = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`delete from rackwire_traffic where since < now() - make_interval(days => ${keptDays}::int)`
)
