/**
 * Settles entries whose attempts are in the delivery log already (Reconcile.ts).
 *
 * The log is written before an entry is settled. If a process dies between the two, or Redis loses its last writes, the
 * entry reappears as it was before the attempt. Then the log decides, and nothing is sent again.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Entry, Settlement } from "../Entry.ts"
import { Streams } from "../Streams.ts"
import { ReconciledRedis } from "./ReconciledRedis.ts"

interface LoggedState {
  readonly id: string
  readonly status: string
  readonly attempts: string
  /** Milliseconds since 1970. */
  readonly first_attempt: string | null
  /** Milliseconds from now; negative when it is overdue. */
  readonly due_in: string | null
}

const query = `
  select delivery_id as id, status, attempts::text as attempts,
         (extract(epoch from first_attempt) * 1000)::bigint::text as first_attempt,
         (extract(epoch from next_attempt - now()) * 1000)::bigint::text as due_in
    from extras_delivery d
   where (delivery_id, time) in (select * from unnest($1::text[], $2::text[]::timestamptz[]))`

/** Settles the entries whose attempt is in the log; returns the others. */
export const settleFinished = Effect.fnUntraced(function* (webhook: number, entries: ReadonlyArray<Entry>) {
  if (entries.length === 0) return entries
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<LoggedState>(query, [
    entries.map(({ delivery }) => delivery.id),
    entries.map(({ delivery }) => delivery.time)
  ])
  const logged = new Map(rows.map((row) => [row.id, row]))
  const isEnded = ({ delivery }: Entry) => Number(logged.get(delivery.id)?.attempts ?? 0) > delivery.attempts
  const [ended, others] = [entries.filter(isEnded), entries.filter((entry) => !isEnded(entry))]
  if (ended.length > 0) {
    yield* (yield* Streams).settle(
      webhook,
      ended.map((entry) => settled(entry, logged.get(entry.delivery.id)!))
    )
    yield* Effect.logInfo(`deliver: webhook ${webhook}: ${ended.length} entries had been attempted already`)
  }
  return others
})

/** Settles finished deliveries that are back since a restart of Redis; returns the others. */
export const withoutFinished = Effect.fnUntraced(function* (webhook: number, entries: ReadonlyArray<Entry>) {
  if (entries.length === 0 || (yield* (yield* ReconciledRedis).isReconciled)) return entries
  return yield* settleFinished(webhook, entries)
})

/** How the entry would have been settled after its attempt. */
const settled = (entry: Entry, { status, attempts, first_attempt, due_in }: LoggedState): Settlement => {
  if (status !== "retrying") return { entry }
  const { delivery } = entry
  const made = Number(attempts)
  return {
    entry,
    later: {
      delayMillis: Math.max(Number(due_in ?? 0), 0),
      delivery: {
        ...delivery,
        attempts: made,
        spent: delivery.spent + made - delivery.attempts,
        firstAttempt: delivery.firstAttempt || Number(first_attempt ?? 0)
      }
    }
  }
}
