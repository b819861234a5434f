/**
 * Reconcile: Redis brought in line with Postgres.
 *
 * The invariant: an unfinished delivery is in Redis, once, and a finished one is not. Postgres says which deliveries of a
 * webhook are unfinished (Unfinished.ts):
 * - events that matched it between its watermarks (Watermarks.ts), and of which the delivery log has no row;
 * - rows of the delivery log that are `queued` or `retrying`.
 * To a webhook that was deleted nothing is owed (Deleted.ts).
 *
 * Redis breaks the invariant when it loses keys or its last writes, or reverts to an older state, and a process that
 * dies between the log and Redis breaks it for its entries. Postgres is right then: nothing waits for the disk of Redis.
 * A finished delivery is settled, as its last attempt would have settled it. An unfinished one that is nowhere in Redis
 * is queued again from the change log, under its id; an attempt that was under way is repeated.
 *
 * Signs of a break, and the deliveries that are compared then:
 * - an entry is claimed from a process that died: itself (`settleFinished`);
 * - a stream does not have the last id that was appended to it: all of its webhook (`reconcile`), before anything is
 *   appended;
 * - Redis was restarted, or another server has taken its place: all webhooks (Restarted.ts, `reconcileWhole`);
 * - none, where other keys are lost alone: some of the deliveries that should have been sent by now, in turn (`Sample`).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Append } from "../Append.ts"
import { Streams } from "../Streams.ts"
import { overEntries } from "./Browse.ts"
import { settleFinished } from "./Finished.ts"
import { dropFinished } from "./Held.ts"
import { holdLogged, loggedDeliveries } from "./LoggedDeliveries.ts"
import { mayBeMissing, missing, soughtOf } from "./Missing.ts"
import { type WaitingRow, type WaitingState, eachUnlogged, eachWaiting } from "./Unfinished.ts"

/** Reconciles a webhook whose stream has lost entries; returns how many deliveries were queued again. */
export const reconcile = Effect.fnUntraced(function* (webhook: number) {
  const ordered = yield* isOrdered(webhook)
  yield* removeFinished(webhook, ordered)
  // Before anything may be appended: for order's sake, and because the stream counts as lost until then. Capture waits
  // meanwhile, so they are searched once.
  const waiting = yield* holdMissing(webhook, ["retrying", "queued"], mayBeMissing)
  const owed = yield* refill(webhook)
  if (ordered) yield* releaseEnded(webhook)
  yield* Effect.logError(
    `Redis lost entries of webhook ${webhook}: ${owed} deliveries and ${waiting} that wait were queued again.`
  )
  return owed + waiting
})

/** Reconciles a webhook whose stream is whole, after a restart or a failover of Redis. Other processes continue. */
export const reconcileWhole = Effect.fnUntraced(function* (webhook: number) {
  const ordered = yield* isOrdered(webhook)
  yield* removeFinished(webhook, ordered)
  yield* holdMissing(webhook, ["retrying"], missing)
  if (ordered) yield* releaseEnded(webhook)
  // The marks of a cluster lie on another node than the webhook, and are of another moment.
  yield* (yield* Streams).mark([webhook])
})

/** Removes deliveries that were finished already and are back. */
const removeFinished = Effect.fnUntraced(function* (webhook: number, ordered: boolean) {
  yield* overEntries(webhook, (page) =>
    settleFinished(
      webhook,
      page.map((entry) => ({ ...entry, ordered }))
    )
  )
  yield* dropFinished(webhook)
})

/** Queues deliveries that wait again if they are nowhere in Redis; returns how many. */
const holdMissing = Effect.fnUntraced(function* (
  webhook: number,
  states: ReadonlyArray<WaitingState>,
  search: typeof missing | typeof mayBeMissing
) {
  let count = 0
  const hold = Effect.fnUntraced(function* (rows: ReadonlyArray<WaitingRow>) {
    const absent = (yield* search(new Map([[webhook, rows.map(soughtOf)]]))).get(webhook)
    if (absent === undefined) return
    const ids = new Set(absent.map(({ id }) => id))
    const sought = rows.filter(({ delivery_id }) => ids.has(delivery_id))
    const condition = `d.status = any ($1::text[])
      and (d.id, d.attempts) in (select * from unnest($2::text[]::bigint[], $3::text[]::bigint[]))`
    count += yield* holdLost(webhook, condition, [
      states,
      sought.map(({ id }) => id),
      sought.map(({ attempts }) => attempts)
    ])
  })
  yield* eachWaiting(webhook, states, hold)
  return count
})

/**
 * Queues deliveries of a webhook again, which were found missing and meet a condition over `d`. It is evaluated after the
 * search: the log is written before Redis, so a delivery that was attempted meanwhile has another row. Returns how many
 * there are.
 */
export const holdLost = Effect.fnUntraced(function* (
  webhook: number,
  condition: string,
  parameters: ReadonlyArray<unknown>
) {
  const first = yield* isOrdered(webhook)
  const where = `${condition} and d.id > $${parameters.length + 1}::text::bigint`
  let count = 0
  // A page may end before the deliveries do: it has at most so many characters of events.
  const next = (last: string) => loggedDeliveries(where, [...parameters, last])
  for (let page = yield* next("0"); page.length > 0; page = yield* next(page.at(-1)!.id)) {
    yield* holdLogged(page, { anew: false, first })
    count += page.length
  }
  if (count > 0)
    yield* Effect.logError(`Redis lost ${count} deliveries of webhook ${webhook} that wait; they were queued again.`)
  return count
})

/** Whether order within an object matters to the webhook. */
const isOrdered = (webhook: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select 1 from extras_webhook where id = ${webhook}::bigint and ordering = 'object'`.pipe(
      Effect.map((rows) => rows.length > 0)
    )
  )

/** Fills the stream, a page at a time; returns how many deliveries were owed. The last part ends its being lost. */
const refill = Effect.fnUntraced(function* (webhook: number) {
  const { restore } = yield* Append
  let after = ""
  const count = yield* eachUnlogged(webhook, (owed) =>
    Effect.map(restore(webhook, { owed, after, isLast: false }), (last) => (after = last))
  )
  yield* restore(webhook, { owed: [], after, isLast: true })
  return count
})

/**
 * Unblocks deliveries that were parked behind one that the log says has ended, and whose entry Redis lost. The process
 * that made the attempt cannot see whether a copy of it is queued, so it unblocks nothing. No copy is queued of a
 * delivery that had ended when its webhook's debts were read; if it ended since, its copy may be overtaken.
 */
const releaseEnded = Effect.fnUntraced(function* (webhook: number) {
  const streams = yield* Streams
  const sql = yield* SqlClient.SqlClient
  const blockers = yield* streams.blockers(webhook)
  const rows = yield* sql<{ readonly id: string }>`
    select delivery_id as id from extras_delivery
     where delivery_id = any (${blockers.map(({ id }) => id)}::text[]) and status in ('successful', 'failed', 'discarded')`
  const ended = new Set(rows.map(({ id }) => id))
  yield* streams.unblock(
    webhook,
    blockers.filter(({ id }) => ended.has(id))
  )
})
