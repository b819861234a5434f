/**
 * Many deliveries at once: retried or discarded by a filter, or sent on when a webhook is resumed.
 *
 * The API asks with a row (`askForOperation`); a process that delivers works it off a page at a time.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { announceChannel } from "../inventory/database/DatabaseFunctions.ts"
import { objectType } from "../inventory/Registry.ts"
import { type Query, filter } from "../inventory/derive/filter/Filter.ts"
import { type Where, allVisible, isEverything } from "../inventory/derive/filter/Where.ts"
import { askForProbe, openBreakerOf } from "../log/BreakerTable.ts"
import { askForDiscard } from "./Discard.ts"
import { type Kept, resume } from "./Resume.ts"
import type { BulkAction } from "./Plan.ts"
import { askForRetry } from "./RetryByHand.ts"
import { deliveryType } from "../log/DeliveryRows.ts"
import { WorkEnded, WorkRefused, workOffAll } from "./Work.ts"

export const operationType = objectType("extras.operation")

/** Deliveries changed at once. */
const pageSize = 500

interface OperationRequest {
  readonly action: BulkAction
  readonly query: Query
  /** The condition that the query stands for. */
  readonly where: Where
  /** Count, and change nothing. */
  readonly dryRun: boolean
}

const told = `select pg_notify('${announceChannel}', 'extras.operation 0')::text`

/** Asks for the operation; returns its id. */
export const askForOperation = Effect.fnUntraced(function* ({ action, query, where, dryRun }: OperationRequest) {
  const sql = yield* SqlClient.SqlClient
  const at = where.parameters.length
  const [row] = yield* sql.unsafe<{ readonly id: string }>(
    `insert into ${operationType.table} (action, filter, dry_run, status, total, done, until_id)
     select $${at + 1}, $${at + 2}, $${at + 3}::boolean, $${at + 4}, count(*), 0, coalesce(max(t.id), 0)
       from extras_delivery t where ${where.sql}
     returning id::text as id`,
    [
      ...where.parameters,
      action,
      new URLSearchParams(query as Array<[string, string]>).toString(),
      dryRun,
      dryRun ? "done" : "queued"
    ]
  )
  yield* sql.unsafe(told)
  return Number(row!.id)
})

/** Asks to resume a paused webhook; `keep` says which deliveries of the pause are sent. Returns the operation's id. */
export const askToResume = Effect.fnUntraced(function* (webhook: number, keep: Kept) {
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
  readonly keep: Kept | null
  readonly asked: string
  readonly last_id: string
  readonly until_id: string | null
}

/** Writes the progress. Fails with WorkEnded if the operation was cancelled. */
const moveOn = Effect.fnUntraced(function* (id: string, done: number, last: number, gone = 0) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update extras_operation
       set done = done + ${done}::int, gone = coalesce(gone, 0) + ${gone}::int, last_id = ${last}::bigint, heard = now()
     where id = ${id}::bigint and status = 'running' returning id::text`
  if (rows.length === 0) return yield* new WorkEnded()
})

interface Selected {
  readonly id: string
  readonly webhook: string
  readonly turn: Turn
}

/**
 * `ours`: the operation acts on it. `held`: it is due and waits in its queue already, where its webhook or a circuit
 * breaker holds it. `changed`: somebody has attempted it since the operation was asked for, or is about to; another
 * attempt would send it twice.
 */
type Turn = "ours" | "held" | "changed"

/** SQL: the turn of a delivery in a retry that was asked for at that time. */
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
    (sql) => sql`update extras_delivery set operation_id = ${operation}::text::bigint where id = any (${ids}::bigint[])`
  )

const overPages = Effect.fnUntraced(function* (operation: Operation, act: typeof askForRetry) {
  const sql = yield* SqlClient.SqlClient
  // The user who asked may see and change all deliveries (http/webhooks/Deliveries.ts).
  const filtered = filter(deliveryType, [...new URLSearchParams(operation.filter)], allVisible, { strict: true })
  // A version that no longer knows a filter must not take it for every delivery.
  if ("errors" in filtered || (operation.filter !== "" && isEverything(filtered.where))) {
    return yield* new WorkRefused({ message: `The filter is not understood: ${operation.filter}` })
  }
  const { sql: condition, parameters } = filtered.where
  const at = parameters.length
  let last = operation.last_id
  const isRetry = operation.action === "retry"
  // Locked: an attempt that ends meanwhile is seen before its delivery is asked for again, or waits.
  const statement = `select t.id::text as id, t.webhook_id::text as webhook,
           ${isRetry ? yield* turnOfRetry(`$${at + 3}`) : "'ours'"} as turn
      from extras_delivery t
    where (${condition}) and t.id > $${at + 1}::bigint and t.id <= $${at + 2}::bigint
    order by t.id limit ${pageSize} for update of t`
  const step = Effect.gen(function* () {
    const bounds = [last, operation.until_id ?? "0", ...(isRetry ? [operation.asked] : [])]
    const page = yield* sql.unsafe<Selected>(statement, [...parameters, ...bounds])
    if (page.length === 0) return false
    const [ours, held] = (["ours", "held"] as const).map((wanted) =>
      page.filter(({ turn }) => turn === wanted).map(({ id }) => Number(id))
    ) as [Array<number>, Array<number>]
    const acted = yield* act(ours, operation.id)
    if (held.length > 0) yield* noteHeld(operation.id, held)
    if (isRetry) yield* askForProbe([...new Set(page.map(({ webhook }) => Number(webhook)))])
    const reached = page.at(-1)!.id
    yield* moveOn(operation.id, acted.length + held.length, Number(reached), ours.length - acted.length)
    last = reached
    return true
  })
  while (yield* sql.withTransaction(step));
})

const workOff = Effect.fnUntraced(function* (operation: Operation) {
  const { id, action, webhook_id, keep } = operation
  if (action === "resume") yield* resume(Number(webhook_id), keep ?? "all", (done) => moveOn(id, done, 0))
  else yield* overPages(operation, action === "retry" ? askForRetry : askForDiscard)
})

export const workOffOperations = workOffAll(
  operationType.table,
  `action, asked::text as asked, webhook_id::text as webhook_id, filter, keep, coalesce(last_id, 0)::text as last_id,
   until_id::text as until_id`,
  workOff
)
