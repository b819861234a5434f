/**
 * Many deliveries at once: retried or discarded by a filter, or sent on when a webhook is resumed.
 *
 * The API inserts a row (`askForOperation`); a process that delivers works it off a page at a time.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Delivery } from "../event/Delivery.ts"
import { announceChannel } from "../postgres/Messages.ts"
import { objectType } from "../inventory/Registry.ts"
import { insertUnattempted, deliveryDays } from "../log/DeliveryRows.ts"
import { type Query, filter } from "../inventory/derive/filter/Filter.ts"
import { type Where, allVisible, isEverything, asTexts } from "../inventory/derive/filter/Where.ts"
import { askForProbe, openBreakerOf } from "../log/BreakerTable.ts"
import { askForDiscard } from "./Discard.ts"
import { type KeepChoice, resume } from "./Resume.ts"
import type { BulkAction } from "./Plan.ts"
import { askForRetry } from "./RetryByHand.ts"
import { deliveryType } from "../log/DeliveryRows.ts"
import { type Selection, countUnattempted, overUnattempted, sumOf } from "../history/inspect/Unattempted.ts"
import { unwanted } from "./WaitingActions.ts"
import { WorkEnded, WorkRefused, workOffAll } from "./Work.ts"

export const operationType = objectType("extras.operation")

/** Rows of the delivery log that are changed at once. */
const pageSize = 500

interface OperationRequest {
  readonly action: BulkAction
  readonly query: Query
  /** The condition of the query. */
  readonly where: Where
  /** Count, and change nothing. */
  readonly dryRun: boolean
}

const told = `select pg_notify('${announceChannel}', 'extras.operation 0')::text`

/** For the count of a dry run. */
const isMore = "More deliveries wait than were counted."

/** Requests the operation; returns its id. */
export const askForOperation = Effect.fnUntraced(function* ({ action, query, where, dryRun }: OperationRequest) {
  const sql = yield* SqlClient.SqlClient
  const waiting = yield* countUnattempted({ query, where })
  const at = where.parameters.length
  const [row] = yield* sql.unsafe<{ readonly id: string }>(
    `insert into ${operationType.table} (action, filter, dry_run, status, total, message, done, until_id)
     select $${at + 1}, $${at + 2}, $${at + 3}::boolean, $${at + 4}, count(*) + $${at + 5}::text::bigint, $${at + 6}, 0,
            coalesce(max(t.id), 0)
       from extras_delivery t where ${where.sql}
     returning id::text as id`,
    [
      ...where.parameters,
      action,
      new URLSearchParams(query as Array<[string, string]>).toString(),
      dryRun,
      dryRun ? "done" : "queued",
      `${sumOf(waiting)}`,
      waiting.isMinimum ? isMore : ""
    ]
  )
  yield* sql.unsafe(told)
  return Number(row!.id)
})

/** Requests to resume a paused webhook; `keep` says which deliveries of the pause are sent. Returns the operation's id. */
export const askToResume = Effect.fnUntraced(function* (webhook: number, keep: KeepChoice) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: string }>`
    insert into extras_operation (action, webhook_id, keep, dry_run, status, done)
    values ('resume', ${webhook}::bigint, ${keep}, false, 'queued', 0) returning id::text as id`
  yield* sql.unsafe(told)
  return Number(row!.id)
})

interface Operation {
  readonly id: string
  readonly action: "retry" | "discard" | "resume"
  readonly webhook_id: string | null
  readonly filter: string
  readonly keep: KeepChoice | null
  readonly asked: string
  readonly last_id: string
  readonly until_id: string | null
}

interface Progress {
  readonly done: number
  readonly gone?: number
  /** Id of the last row of the delivery log that it has reached. */
  readonly last?: number
}

/** Writes the progress. Fails with WorkEnded if the operation was cancelled. */
const moveOn = Effect.fnUntraced(function* (id: string, { done, gone = 0, last }: Progress) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update extras_operation
       set done = done + ${done}::int, gone = coalesce(gone, 0) + ${gone}::int,
           last_id = coalesce(${last ?? null}::text::bigint, last_id), heard = now(),
           -- More may wait than were counted.
           total = total + greatest(done + coalesce(gone, 0) + ${done}::int + ${gone}::int - total, 0)
     where id = ${id}::bigint and status = 'running' returning id::text`
  if (rows.length === 0) return yield* new WorkEnded()
})

interface OperationRow {
  readonly id: string
  readonly turn: Turn
}

/**
 * `ours`: the operation acts on it. `held`: it is due and waits in its queue already, where its webhook or a circuit
 * breaker keeps it. `changed`: it was attempted since the operation was requested, or is about to be; another
 * attempt would send it twice.
 */
type Turn = "ours" | "held" | "changed"

/** SQL: the turn of a delivery in a retry that was requested at that time. */
const turnOfRetry = (asked: string) =>
  Effect.map(
    openBreakerOf("t.webhook_id"),
    (breaker) => `case
      when t.last_attempt >= ${asked}::timestamptz then 'changed'
      -- The clocks of Postgres and Redis may differ a little: what begins within a second counts as begun.
      when t.status = 'queued' or t.status = 'retrying' and t.next_attempt <= now() + interval '1 second' then
        case when ${breaker} is not null
               or exists (select from extras_webhook w where w.id = t.webhook_id and (w.paused or not w.enabled))
             then 'held' else 'changed' end
      else 'ours' end`
  )

/** Notes the operation in the rows of deliveries that stay as they are. */
const noteHeld = (operation: string, ids: ReadonlyArray<number>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`update extras_delivery set operation_id = ${operation}::text::bigint where id = any (${asTexts(ids)}::text[]::bigint[])`
  )

/** The condition of the operation. Fails with WorkRefused. */
const selectionOf = Effect.fnUntraced(function* (operation: Operation) {
  const query = [...new URLSearchParams(operation.filter)]
  // The requesting user may see and change all deliveries (http/webhooks/Deliveries.ts).
  const filtered = filter(deliveryType, query, allVisible, { strict: true })
  // A version without a filter that an operation names must not act on every delivery.
  if ("errors" in filtered || (operation.filter !== "" && isEverything(filtered.where))) {
    return yield* new WorkRefused({ message: `The filter is not understood: ${operation.filter}` })
  }
  return { query, where: filtered.where, until: operation.asked }
})

const overPages = Effect.fnUntraced(function* (operation: Operation, { where }: Selection) {
  const sql = yield* SqlClient.SqlClient
  const act = operation.action === "retry" ? askForRetry : askForDiscard
  const { sql: condition, parameters } = where
  const at = parameters.length
  let last = operation.last_id
  const isRetry = operation.action === "retry"
  // Locked: an attempt that ends meanwhile is seen before its delivery is requested again, or waits.
  const statement = `select t.id::text as id, ${isRetry ? yield* turnOfRetry(`$${at + 3}`) : "'ours'"} as turn
      from extras_delivery t
    where (${condition}) and t.id > $${at + 1}::bigint and t.id <= $${at + 2}::bigint
    order by t.id limit ${pageSize} for update of t`
  const step = Effect.gen(function* () {
    const bounds = [last, operation.until_id ?? "0", ...(isRetry ? [operation.asked] : [])]
    const page = yield* sql.unsafe<OperationRow>(statement, [...parameters, ...bounds])
    if (page.length === 0) return false
    const [ours, held] = (["ours", "held"] as const).map((wanted) =>
      page.filter(({ turn }) => turn === wanted).map(({ id }) => Number(id))
    ) as [Array<number>, Array<number>]
    const acted = yield* act(ours, operation.id)
    if (held.length > 0) yield* noteHeld(operation.id, held)
    const reached = page.at(-1)!.id
    yield* moveOn(operation.id, {
      ...{ done: acted.length + held.length, gone: ours.length - acted.length, last: Number(reached) }
    })
    last = reached
    return true
  })
  while (yield* sql.withTransaction(step));
})

/**
 * Discards the deliveries that wait without an attempt. A retry notes them: each is sent from where it waits, so that none
 * is sent twice. Passes are repeated, since a delivery may move from a place that
 * is still to come to one that was read.
 */
const overWaiting = Effect.fnUntraced(function* (operation: Operation, selection: Selection) {
  const sql = yield* SqlClient.SqlClient
  const { id, action } = operation
  const take = Effect.fnUntraced(function* (found: ReadonlyArray<Delivery>) {
    const inserted = yield* insertUnattempted(found, {
      ...{ operation: id, isInRedis: true, keepsRows: true },
      ...(action === "discard" && { dropped: unwanted })
    })
    yield* moveOn(id, { done: inserted.length })
    if (action === "discard") yield* sql`select pg_notify(${announceChannel}, 'extras.delivery 0')::text`
    return inserted.length
  })
  for (let taken = 1; taken > 0;) {
    taken = 0
    yield* overUnattempted(selection, (found) =>
      deliveryDays
        .write(
          found.map(({ time }) => time),
          sql.withTransaction(take(found))
        )
        .pipe(Effect.map((count) => (taken += count) >= 0))
    )
  }
})

/** Probes the open breakers that block deliveries of the operation; before all were noted, one would be left out. */
const probeFor = Effect.fnUntraced(function* (operation: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select distinct webhook_id::text as id from extras_delivery where operation_id = ${operation}::text::bigint`
  yield* askForProbe(rows.map(({ id }) => Number(id)))
})

const workOff = Effect.fnUntraced(function* (operation: Operation) {
  const { id, action, webhook_id, keep } = operation
  if (action === "resume") return yield* resume(Number(webhook_id), keep ?? "all", (done) => moveOn(id, { done }))
  const selection = yield* selectionOf(operation)
  yield* overWaiting(operation, selection)
  yield* overPages(operation, selection)
  if (action === "retry") yield* probeFor(id)
})

export const workOffOperations = workOffAll(
  operationType.table,
  `action, asked::text as asked, webhook_id::text as webhook_id, filter, keep, coalesce(last_id, 0)::text as last_id,
   until_id::text as until_id`,
  workOff
)
