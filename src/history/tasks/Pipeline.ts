/** The way of a change in numbers: captured, queued, sent, waiting for another attempt. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAlive } from "../../postgres/Presence.ts"
import { cleared } from "../../inventory/Clearance.ts"
import { after } from "../../inventory/derive/filter/Where.ts"
import { objectType } from "../../inventory/Registry.ts"
import { backlogTable } from "../../log/BacklogTable.ts"
import { deliveryType } from "../../log/DeliveryRows.ts"

const webhookType = objectType("extras.webhook")

/** Most changes and most failed deliveries that are counted. */
export const countedMax = 10_000

export interface CaptureProgress {
  /** From a commit until its events are stored, milliseconds; null while no process reads the WAL. */
  readonly lagMillis: number | null
  /** WAL that is written and not confirmed, bytes. */
  readonly lagBytes: number | null
  /** The LSN that was confirmed last. */
  readonly confirmed: string | null
  /** Changes of the last minute, counted up to `countedMax`. */
  readonly captured_last_minute: number
}

/** How far capture is. */
export const capturedState = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly state: CaptureProgress }>(
    `select json_build_object('lagMillis', (parts #>> '{capture,lagMillis}')::float8,
              'lagBytes', (parts #>> '{slot,lagBytes}')::float8, 'confirmed', parts #>> '{capture,confirmed}',
              'captured_last_minute', (select count(*) from (select from extras_objectchange c
                 where c.time > now() - interval '1 minute' limit ${countedMax}) newest)) as state
       from (select 1) one left join lateral (
         select parts from rackwire_process where ${yield* isAlive} and parts #>> '{capture,leads}' = 'true'
          order by seen desc limit 1) leader on true`
  )
  return row!.state
})

export interface Depths {
  readonly queued: number
  readonly sending: number
  readonly waiting: number
  /** When a queue was measured last, ISO 8601; null if nothing waits. */
  readonly looked: string | null
}

/** The backlog of the webhooks that the reader may view. */
export const depths = Effect.gen(function* () {
  const visible = yield* cleared(webhookType, "view")
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly depths: Depths }>(
    `select json_build_object('queued', coalesce(sum(b.queued), 0), 'sending', coalesce(sum(b.pending), 0),
              'waiting', coalesce(sum(b.waiting), 0), 'looked', max(b.looked)) as depths
       from ${backlogTable.name} b join ${webhookType.table} t on t.id = b.webhook_id where (${visible.sql})`,
    visible.parameters
  )
  return row!.depths
})

/** How many deliveries that the reader may view have failed, up to `countedMax`. */
export const failedCount = Effect.gen(function* () {
  const visible = yield* cleared(deliveryType, "view")
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly count: number }>(
    `select count(*)::int as count from (
       select from ${deliveryType.table} t where t.status <> 'successful' and t.status = 'failed' and (${after(0, visible)}) limit ${countedMax}) f`,
    visible.parameters
  )
  return row!.count
})

/** The webhooks that the reader may view and that have the largest backlogs; paused ones included. */
export const busyWebhooks = Effect.fnUntraced(function* (limit: number) {
  const visible = yield* cleared(webhookType, "view")
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly id: number }>(
    `select t.id::float8 as id from ${webhookType.table} t left join ${backlogTable.name} b on b.webhook_id = t.id
      where (b.webhook_id is not null or (t.paused and t.enabled)) and (${visible.sql})
      order by coalesce(b.queued + b.pending + b.waiting, 0) desc, t.name limit ${limit}`,
    visible.parameters
  )
  return rows.map(({ id }) => id)
})
