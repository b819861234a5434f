/** Outcomes of attempts as rows of Postgres: one statement writes a batch, deliveries and attempts together. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Days } from "../../inventory/database/Days.ts"
import type { Table } from "../../inventory/derive/table/Table.ts"
import type { Entry } from "../../stream/Entry.ts"
import { credentialsIn, headerText, withoutCredentials } from "../attempt/HeaderText.ts"
import { type Attempt, type Outcome, deleted } from "../outcome/Outcome.ts"
import { deliveryDays } from "./DeliveryRows.ts"
import { trafficParameters, trafficStatement } from "./Traffic.ts"

export interface Result {
  readonly entry: Entry
  readonly attempt: Attempt
  readonly outcome: Outcome
}

/** One row per attempt; the delivery's own row is `extras.delivery`. */
export const attemptTable: Table = {
  name: "rackwire_attempt",
  daily: true,
  columns: [
    // Of the event, like the delivery's.
    { name: "time", type: "timestamp with time zone", nullable: false },
    { name: "delivery_id", type: "text", nullable: false },
    { name: "number", type: "bigint", nullable: false },
    { name: "started", type: "timestamp with time zone", nullable: false },
    { name: "duration_ms", type: "bigint", nullable: false },
    // Steps of the attempt, milliseconds each.
    { name: "phases", type: "jsonb", nullable: true },
    { name: "url", type: "text", nullable: false },
    // Lines; empty where there was no request, or no answer.
    { name: "request_headers", type: "text", nullable: false, default: "''" },
    { name: "response_status", type: "bigint", nullable: true },
    { name: "response_headers", type: "text", nullable: false, default: "''" },
    { name: "response_body", type: "text", nullable: false },
    { name: "reason", type: "text", nullable: false },
    { name: "message", type: "text", nullable: false }
  ],
  constraints: [{ name: "rackwire_attempt_key", sql: "unique (delivery_id, number, time)" }],
  indexes: [],
  triggers: [],
  published: false
}

/** "" stands for null in every column but texts. */
type Column<Of = Result> = readonly [name: string, type: string, value: (result: Of) => string]

/** A result, and what the log keeps of its texts. */
interface Kept extends Result {
  readonly requestHeaders: string
  readonly responseHeaders: string
  readonly responseBody: string
}

const keptOf = (result: Result): Kept => {
  const { headers, response } = result.attempt
  const credentials = credentialsIn(headers)
  const answered = (text: string) => withoutNul(withoutCredentials(text, credentials))
  return {
    ...result,
    requestHeaders: withoutNul(headerText(headers)),
    responseHeaders: answered(headerText(response?.headers ?? {})),
    responseBody: answered(response?.body ?? "")
  }
}

/** The last time that was printed, and its text: most attempts of a batch begin in the same milliseconds. */
let printed = { millis: 0, text: new Date(0).toISOString() }

const isoTime = (millis: number): string => {
  if (millis !== printed.millis) printed = { millis, text: new Date(millis).toISOString() }
  return printed.text
}

const status = { Delivered: "successful", Retry: "retrying", Dead: "failed" } as const

const deliveryColumns: ReadonlyArray<Column<Latest>> = [
  ["delivery_id", "text", ({ entry }) => entry.delivery.id],
  ["webhook_id", "bigint", ({ entry }) => `${entry.delivery.webhook}`],
  ["status", "text", ({ outcome }) => status[outcome.kind]],
  ["event", "text", ({ entry }) => entry.delivery.event],
  ["object_type", "text", ({ entry }) => entry.delivery.objectType],
  ["object_id", "bigint", ({ entry }) => `${entry.delivery.objectId}`],
  ["request_id", "uuid", ({ entry }) => entry.delivery.requestId],
  ["time", "timestamptz", ({ entry }) => entry.delivery.time],
  ["position", "bigint", ({ entry }) => entry.delivery.position],
  ["idx", "bigint", ({ entry }) => `${entry.delivery.idx}`],
  ["attempts", "bigint", ({ attempts }) => `${attempts}`],
  ["first_attempt", "timestamptz", ({ entry, attempt }) => isoTime(entry.delivery.firstAttempt || attempt.started)],
  ["last_attempt", "timestamptz", ({ attempt }) => isoTime(attempt.started)],
  // By the clock of Postgres, which is the same to all: a process's own may be set.
  [
    "next_attempt",
    "interval",
    ({ outcome }) => (outcome.kind === "Retry" ? `${outcome.delayMillis} milliseconds` : "")
  ],
  ["response_status", "bigint", ({ attempt }) => `${attempt.response?.status ?? ""}`],
  ["reason", "text", ({ attempt }) => attempt.failure?.reason ?? ""],
  ["message", "text", ({ attempt }) => withoutNul(attempt.failure?.message ?? "")]
]

const attemptColumns: ReadonlyArray<Column<Kept>> = [
  ["time", "timestamptz", ({ entry }) => entry.delivery.time],
  ["delivery_id", "text", ({ entry }) => entry.delivery.id],
  ["number", "bigint", ({ attempt }) => `${attempt.number}`],
  ["started", "timestamptz", ({ attempt }) => isoTime(attempt.started)],
  ["duration_ms", "bigint", ({ attempt }) => `${attempt.durationMillis}`],
  ["phases", "jsonb", ({ attempt }) => JSON.stringify(attempt.phases)],
  ["url", "text", ({ attempt }) => withoutNul(attempt.url)],
  ["request_headers", "text", ({ requestHeaders }) => requestHeaders],
  ["response_status", "bigint", ({ attempt }) => `${attempt.response?.status ?? ""}`],
  ["response_headers", "text", ({ responseHeaders }) => responseHeaders],
  ["response_body", "text", ({ responseBody }) => responseBody],
  ["reason", "text", ({ attempt }) => attempt.failure?.reason ?? ""],
  ["message", "text", ({ attempt }) => withoutNul(attempt.failure?.message ?? "")]
]

/** Postgres keeps no zero byte in a text, and a receiver may send one. */
const withoutNul = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text)

/**
 * Stands between the values of a column, which goes to Postgres as one text: an array costs the driver an object for
 * each value. No receiver can know it, and so none can send it.
 */
const separator = `\u001f${randomBytes(9).toString("base64")}`

const columnOf = <A>(results: ReadonlyArray<A>, value: (result: A) => string): string => {
  let text = ""
  for (const [at, result] of results.entries()) text += at === 0 ? value(result) : separator + value(result)
  return text
}

const select = (columns: ReadonlyArray<Column<never>>, from: number, value = valueOf): string => {
  const values = columns.map(([name, type]) => value(name, type))
  const arrays = columns.map((_, at) => `string_to_array($${from + at}::text, $1::text)`)
  return `select ${values.join(", ")} from unnest(${arrays.join(", ")}) as u (${names(columns)})`
}

const valueOf = (name: string, type: string): string => {
  // A column of one empty text gives an array of nothing.
  if (type === "text") return `coalesce(${name}, '')`
  return `${type === "interval" ? "now() + " : ""}nullif(${name}, '')::${type}`
}

/** The state of a delivery whose webhook was deleted during the attempt, instead of another attempt. */
const ofDeleted: Readonly<Record<string, string>> = {
  status: "'discarded'",
  next_attempt: "null",
  reason: `'${deleted.reason}'`,
  message: `'${deleted.message}'`
}

const valueUnlessDeleted = (name: string, type: string): string => {
  const value = valueOf(name, type)
  if (!Object.hasOwn(ofDeleted, name)) return value
  return `case when status = 'retrying' and not exists (select 1 from extras_webhook w where w.id = webhook_id::bigint)
    then ${ofDeleted[name]} else ${value} end`
}

const names = (columns: ReadonlyArray<Column<never>>): string => columns.map(([name]) => name).join(", ")

/**
 * Two processes may attempt the same delivery, if one wrongly believes that it still holds the entry. A delivery that
 * has ended does not return to `retrying`.
 */
const hasEnded = `(extras_delivery.status = 'successful' and excluded.status <> 'successful'
  or extras_delivery.status in ('failed', 'discarded') and excluded.status in ('retrying', 'discarded'))`

const writeStatement = `
  with delivery as (
    insert into extras_delivery (${names(deliveryColumns)}) ${select(deliveryColumns, 2, valueUnlessDeleted)}
    on conflict (delivery_id, time) do update set ${[
      "status",
      "last_attempt",
      "next_attempt",
      "response_status",
      "reason",
      "message"
    ]
      .map((name) => `${name} = case when ${hasEnded} then extras_delivery.${name} else excluded.${name} end`)
      .join(", ")}, first_attempt = coalesce(extras_delivery.first_attempt, excluded.first_attempt),
      -- Redis may have lost its last moments, and count from before them.
      attempts = greatest(extras_delivery.attempts, excluded.attempts)
    returning delivery_id, status),
  attempt as (insert into ${attemptTable.name} (${names(attemptColumns)}) ${select(attemptColumns, 2 + deliveryColumns.length)}
  on conflict (delivery_id, number, time) do update set ${[
    "started",
    "duration_ms",
    "phases",
    "url",
    "request_headers",
    "response_status",
    "response_headers",
    "response_body",
    "reason",
    "message"
  ]
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}),
  traffic as (${trafficStatement(2 + deliveryColumns.length + attemptColumns.length)})
  select delivery_id as id from delivery where status = 'discarded'`

export const attemptDays = new Days(attemptTable.name)

/** The outcome of a delivery that counts, of those in one batch. */
interface Latest extends Result {
  /** The number of its last attempt. */
  readonly attempts: number
}

const rank: Readonly<Record<Outcome["kind"], number>> = { Delivered: 2, Dead: 1, Retry: 0 }

/**
 * One result per delivery, since a statement may write a row once. When Redis has lost its data, copies of a delivery
 * may be attempted at the same time, each with an attempt number of its own.
 */
const latestOf = (results: ReadonlyArray<Result>): ReadonlyArray<Latest> => {
  const latest = new Map<string, Latest>()
  for (const result of results) {
    const { id } = result.entry.delivery
    const known = latest.get(id)
    const attempts = Math.max(result.attempt.number, known?.attempts ?? 0)
    const stands = known !== undefined && rank[known.outcome.kind] > rank[result.outcome.kind] ? known : result
    latest.set(id, { ...stands, attempts })
  }
  return [...latest.values()]
}

/** Writes the outcomes; returns the ids of the deliveries that somebody has discarded meanwhile. */
export const writeRows = Effect.fnUntraced(function* (results: ReadonlyArray<Result>) {
  const sql = yield* SqlClient.SqlClient
  const latest = latestOf(results)
  const numbered = new Map(results.map((result) => [`${result.entry.delivery.id} ${result.attempt.number}`, result]))
  const attempts = Array.from(numbered.values(), keptOf)
  const times = latest.map(({ entry }) => entry.delivery.time)
  const write = sql.unsafe<{ readonly id: string }>(writeStatement, [
    separator,
    ...deliveryColumns.map(([, , value]) => columnOf(latest, value)),
    ...attemptColumns.map(([, , value]) => columnOf(attempts, value)),
    ...trafficParameters(attempts)
  ])
  const discarded = yield* deliveryDays.write(times, attemptDays.write(times, write))
  return new Set(discarded.map(({ id }) => id))
})
