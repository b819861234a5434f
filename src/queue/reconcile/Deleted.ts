/**
 * Webhooks that were deleted: their deliveries end, and nothing of them stays in Redis.
 *
 * A process that is notified of the deletion does both at once. The sweep and every start of a process do the work that
 * others left: a process may die in between, an attempt may end later, and capture may queue events from before the
 * deletion.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { deleted } from "../../event/Outcome.ts"

/** Rows changed at once. */
const pageSize = 1000

/** Discards the unfinished deliveries of webhooks that do not exist: of this one, or of all. */
export const discardDeleted = Effect.fnUntraced(function* (webhook?: number) {
  const sql = yield* SqlClient.SqlClient
  while (true) {
    const rows = yield* sql`
      update extras_delivery set status = 'discarded', next_attempt = null,
             reason = ${deleted.reason}, message = ${deleted.message}
       where id = any (array(
         select d.id from extras_delivery d
          where d.status in ('queued', 'sending', 'retrying')
            and (${webhook ?? null}::bigint is null or d.webhook_id = ${webhook ?? null}::bigint)
            and not exists (select 1 from extras_webhook w where w.id = d.webhook_id)
          limit ${pageSize}::int))
      returning 1 as one`
    if (rows.length === 0) return
  }
})

/** The ids of all webhooks: Redis has deliveries of paused and disabled webhooks too. */
export const allWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`select id::text as id from extras_webhook`
  return rows.map(({ id }) => Number(id))
})

/** The webhooks among these that do not exist. One that was just created may be missing for a moment. */
export const absentAmong = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  if (webhooks.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id::text as id from unnest(${asTexts(webhooks)}::text[]::bigint[]) as u (id)
     where not exists (select 1 from extras_webhook w where w.id = u.id)`
  return rows.map(({ id }) => Number(id))
})

/** The webhooks among these whose deletion is in the change log: capture queues nothing for them any more. */
export const deletedAmong = Effect.fnUntraced(function* (webhooks: ReadonlyArray<number>) {
  const absent = yield* absentAmong(webhooks)
  if (absent.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select distinct changed_object_id::text as id from extras_objectchange
     where position >= 0 and changed_object_type = 'extras.webhook' and action = 'delete'
       and changed_object_id = any (${asTexts(absent)}::text[]::bigint[])`
  return rows.map(({ id }) => Number(id))
})
