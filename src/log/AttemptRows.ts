/** Attempts as rows of Postgres: one statement writes a batch, deliveries and attempts together. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OnlyAttempt } from "../inventory/AttemptLog.ts"
import { Days } from "../postgres/Days.ts"
import { ProcessName } from "../postgres/Presence.ts"
import type { Table } from "../postgres/migrate/Table.ts"
import { headerText, maskOf } from "../webhook/HeaderText.ts"
import { type Outcome, deleted } from "../event/Outcome.ts"
import { deliveryDays } from "./DeliveryRows.ts"
import { trafficParameters, trafficStatement } from "./Traffic.ts"
import type { Attempt } from "./Attempt.ts"

/** One row per attempt, except attempts that succeed at once: they are in the delivery's own row, `extras.delivery`. */
export const attemptTable: Table = {
  name: "rackwire_attempt",
  daily: true,
  columns: [
    // Time of the event, like the delivery's.
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

/** An attempt as a row, and its texts as the log keeps them. */
interface Row extends Attempt {
  readonly requestHeaders: string
  readonly responseHeaders: string
  readonly responseBody: string
  /** Number of the delivery's last attempt, in the row that decides its state; undefined in others. */
  readonly attempts: number | undefined
  /** The attempt is kept in the delivery's own row. */
  readonly isOnly: boolean
}

const rowOf = (attempt: Attempt, attempts: number | undefined): Row => {
  const { headers } = attempt.request
  const { response } = attempt.answer
  const mask = maskOf(headers)
  const answered = (text: string) => withoutNul(mask(text))
  return {
    ...attempt,
    requestHeaders: withoutNul(headerText(headers)),
    responseHeaders: answered(headerText(response?.headers ?? {})),
    responseBody: answered(response?.body ?? ""),
    attempts,
    isOnly: attempts === 1 && attempt.outcome.kind === "Delivered"
  }
}

/** Postgres keeps no zero byte in a text, and a receiver may send one. */
const withoutNul = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text)

const onlyAttempt = (row: Row): OnlyAttempt => ({
  started: isoTime(row.started),
  response_status: row.answer.response?.status ?? null,
  duration_ms: row.durationMillis,
  phases: row.answer.phases,
  // JSON would escape half a character, and Postgres refuses to read it.
  url: withoutNul(row.request.url).toWellFormed(),
  request_headers: row.requestHeaders,
  response_headers: row.responseHeaders,
  response_body: row.responseBody
})

/** The last time that was printed, and its text: most attempts of a batch begin in the same milliseconds. */
let printed = { millis: 0, text: new Date(0).toISOString() }

const isoTime = (millis: number): string => {
  if (millis !== printed.millis) printed = { millis, text: new Date(millis).toISOString() }
  return printed.text
}

const status = { Delivered: "successful", Retry: "retrying", Dead: "failed" } as const

/** A value of the attempt's own row. */
const unlessOnly =
  (value: (row: Row) => string) =>
  (row: Row): string =>
    row.isOnly ? "" : value(row)

/** The columns of an attempt; "" is null in every column but texts. */
const columns: ReadonlyArray<readonly [name: string, type: string, value: (row: Row) => string]> = [
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
  ["attempts", "bigint", ({ attempts }) => `${attempts ?? ""}`],
  ["first_attempt", "timestamptz", ({ entry, started }) => isoTime(entry.delivery.firstAttempt || started)],
  // By the clock of Postgres, which is the same to all: a process's own may be set.
  [
    "next_attempt",
    "interval",
    ({ outcome }) => (outcome.kind === "Retry" ? `${outcome.delayMillis} milliseconds` : "")
  ],
  ["number", "bigint", ({ number }) => `${number}`],
  ["started", "timestamptz", ({ started }) => isoTime(started)],
  ["only_attempt", "json", (row) => (row.isOnly ? JSON.stringify(onlyAttempt(row)) : "")],
  ["duration_ms", "bigint", unlessOnly(({ durationMillis }) => `${durationMillis}`)],
  ["phases", "jsonb", unlessOnly(({ answer }) => JSON.stringify(answer.phases))],
  ["url", "text", unlessOnly(({ request }) => withoutNul(request.url))],
  ["request_headers", "text", unlessOnly(({ requestHeaders }) => requestHeaders)],
  ["response_status", "bigint", ({ answer }) => `${answer.response?.status ?? ""}`],
  ["response_headers", "text", unlessOnly(({ responseHeaders }) => responseHeaders)],
  ["response_body", "text", unlessOnly(({ responseBody }) => responseBody)],
  ["reason", "text", ({ answer }) => answer.failure?.reason ?? ""],
  ["message", "text", ({ answer }) => withoutNul(answer.failure?.message ?? "")]
]

/**
 * Separates the values of a column, which is sent to Postgres as one text: an array costs the driver an object for
 * each value. No receiver can guess it, and so none can send it.
 */
const separator = `\u001f${randomBytes(6).toString("base64")}`

/**
 * The attempts as rows of a common table expression; the columns begin with parameter 2, the separator is the first.
 * `unnest` among the columns: as a table it would first copy all rows into a store of its own.
 */
const rows = `select ${columns
  .map(([name, type]) => {
    // A column of one empty text gives an array of nothing.
    if (type === "text") return `coalesce(${name}, '') as ${name}`
    return `${type === "interval" ? "now() + " : ""}nullif(${name}, '')::${type} as ${name}`
  })
  .join(", ")}
  from (select ${columns.map(([name], at) => `unnest(string_to_array($${2 + at}::text, $1::text)) as ${name}`).join(", ")}) u`

/** The state of a delivery whose webhook was deleted during the attempt, instead of another attempt. */
const ofDeleted: Readonly<Record<string, string>> = {
  status: "'discarded'",
  next_attempt: "null",
  reason: `'${deleted.reason}'`,
  message: `'${deleted.message}'`
}

const unlessDeleted = (name: string): string =>
  Object.hasOwn(ofDeleted, name)
    ? `case when status = 'retrying' and not exists (select 1 from extras_webhook w where w.id = webhook_id)
        then ${ofDeleted[name]} else ${name} end`
    : name

/**
 * Two processes may attempt the same delivery, if one wrongly believes that its lease is still valid. A delivery that
 * has ended does not return to `retrying`.
 */
const hasEnded = `(extras_delivery.status = 'successful' and excluded.status <> 'successful'
  or extras_delivery.status in ('failed', 'discarded') and excluded.status in ('retrying', 'discarded'))`

const ofState = ["status", "next_attempt", "response_status", "reason", "message"]

const ofEvent = "delivery_id, webhook_id, event, object_type, object_id, request_id, time, position, idx"

const ofAttempt =
  "started, duration_ms, phases, url, request_headers, response_status, response_headers, response_body, reason, message"

const writeStatement = `
  with attempted as (${rows}),
  delivery as (
    insert into extras_delivery (${ofEvent}, attempts, first_attempt, last_attempt, only_attempt, ${ofState.join(", ")})
    select ${ofEvent}, attempts, first_attempt, started, only_attempt, ${ofState.map(unlessDeleted).join(", ")}
      from attempted where attempts is not null
    on conflict (delivery_id, time) do update set ${["last_attempt", ...ofState]
      .map((name) => `${name} = case when ${hasEnded} then extras_delivery.${name} else excluded.${name} end`)
      .join(", ")}, first_attempt = coalesce(extras_delivery.first_attempt, excluded.first_attempt),
      only_attempt = coalesce(excluded.only_attempt, extras_delivery.only_attempt),
      -- Redis may have lost its last moments, and count from before them.
      attempts = greatest(extras_delivery.attempts, excluded.attempts)
    returning delivery_id, status),
  attempt as (
    insert into ${attemptTable.name} (time, delivery_id, number, ${ofAttempt})
    select time, delivery_id, number, ${ofAttempt} from attempted where only_attempt is null
    on conflict (delivery_id, number, time) do update set ${ofAttempt
      .split(", ")
      .map((name) => `${name} = excluded.${name}`)
      .join(", ")}),
  traffic as (${trafficStatement(2 + columns.length)})
  select delivery_id as id from delivery where status = 'discarded'`

export const attemptDays = new Days(attemptTable.name)

const rank: Readonly<Record<Outcome["kind"], number>> = { Delivered: 2, Dead: 1, Retry: 0 }

const better = (one: Attempt | undefined, other: Attempt): Attempt =>
  one !== undefined && rank[one.outcome.kind] > rank[other.outcome.kind] ? one : other

/**
 * A row for each attempt, since a statement may write a row once. When Redis has lost its data, copies of a delivery may
 * be attempted at the same time: the best outcome counts.
 */
const rowsOf = (all: ReadonlyArray<Attempt>): ReadonlyArray<Row> => {
  const numbered = new Map<string, Attempt>()
  const last = new Map<string, { readonly stands: Attempt; readonly attempts: number }>()
  for (const attempt of all) {
    const { number } = attempt
    const { id } = attempt.entry.delivery
    const key = `${id} ${number}`
    numbered.set(key, better(numbered.get(key), attempt))
    const known = last.get(id)
    last.set(id, { stands: better(known?.stands, attempt), attempts: Math.max(number, known?.attempts ?? 0) })
  }
  return Array.from(numbered.values(), (attempt) => {
    const { stands, attempts } = last.get(attempt.entry.delivery.id)!
    return rowOf(attempt, stands === attempt ? attempts : undefined)
  })
}

/** Writes the attempts; returns the ids of the deliveries that somebody has discarded meanwhile. */
export const writeRows = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempt>) {
  const sql = yield* SqlClient.SqlClient
  const processName = yield* ProcessName
  const written = rowsOf(attempts)
  const times = written.map(({ entry }) => entry.delivery.time)
  const write = sql.unsafe<{ readonly id: string }>(writeStatement, [
    separator,
    ...columns.map(([, , value]) => written.map(value).join(separator)),
    ...trafficParameters(processName, written)
  ])
  const discarded = yield* deliveryDays.write(times, attemptDays.write(times, write))
  return new Set(discarded.map(({ id }) => id))
})
