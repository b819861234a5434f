/**
 * How far each webhook's stream had come, kept in Postgres: what Redis must know at least, and what may be unfinished.
 *
 * `appended` is written after the entries are on disk and before the WAL is confirmed, so a Redis that knows less has
 * lost something. `open` trails behind: everything before it was attempted and stands in the delivery log.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Position, parsePosition } from "../../event/Position.ts"
import type { Table } from "../../inventory/derive/table/Table.ts"
import type { Tops } from "../../stream/Append.ts"

export const watermarkTable: Table = {
  name: "rackwire_watermark",
  daily: false,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "appended_position", type: "bigint", nullable: false },
    { name: "appended_idx", type: "bigint", nullable: false },
    { name: "open_position", type: "bigint", nullable: false },
    { name: "open_idx", type: "bigint", nullable: false }
  ],
  constraints: [{ name: "rackwire_watermark_key", sql: "unique (webhook_id)" }],
  indexes: [],
  triggers: [],
  published: false
}

const table = watermarkTable.name

/** The last ids known to be on disk. */
export const loadTops = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly webhook: string; readonly top: string }>(
    `select webhook_id::text as webhook, appended_position || '-' || appended_idx as top from ${table}
      where exists (select 1 from extras_webhook w where w.id = webhook_id)`
  )
  return new Map(rows.map(({ webhook, top }) => [Number(webhook), top])) satisfies Tops
})

/** These ids are on disk. */
export const advance = Effect.fnUntraced(function* (tops: Tops) {
  if (tops.size === 0) return
  const sql = yield* SqlClient.SqlClient
  const ids = [...tops.values()].map(parsePosition)
  yield* sql.unsafe(
    `insert into ${table} (webhook_id, appended_position, appended_idx, open_position, open_idx)
     select w, p, i, 0, 0 from unnest($1::bigint[], $2::text[]::bigint[], $3::text[]::bigint[]) as u (w, p, i)
     on conflict (webhook_id) do update
       set appended_position = excluded.appended_position, appended_idx = excluded.appended_idx
     where (excluded.appended_position, excluded.appended_idx) > (${table}.appended_position, ${table}.appended_idx)`,
    [[...tops.keys()], ids.map(({ position }) => `${position}`), ids.map(({ idx }) => `${idx}`)]
  )
})

/** Where a webhook's first unfinished entry stands; undefined when its stream holds none. */
type Heads = ReadonlyMap<number, string | undefined>

/** Notes where unfinished entries begin. `tops` are the last ids from before the look. */
export const noteOpen = Effect.fnUntraced(function* (heads: Heads, tops: Tops) {
  if (heads.size === 0) return
  const sql = yield* SqlClient.SqlClient
  // With nothing in the stream, what comes after the last id is the first that may be unfinished.
  const open = Array.from(heads, ([webhook, head]) =>
    head === undefined ? afterwards(tops.get(webhook)!) : parsePosition(head)
  )
  yield* sql.unsafe(
    `update ${table} set open_position = p, open_idx = i
       from unnest($1::bigint[], $2::text[]::bigint[], $3::text[]::bigint[]) as u (w, p, i) where webhook_id = w`,
    [[...heads.keys()], open.map(({ position }) => `${position}`), open.map(({ idx }) => `${idx}`)]
  )
})

/**
 * The day of the oldest change of which a delivery waits in a stream or for its next attempt; undefined for none. A long
 * event is read from the change log then, and so is every event when Redis has lost it.
 */
export const owedSince = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly day: string | null }>(
    `select to_char(least(
       (select min(time) from extras_delivery where status in ('queued', 'retrying')),
       (select c.time from extras_objectchange c
         where (c.position, c.idx) >= (
           select open_position, open_idx from ${table} m
            where open_position > 0 and (open_position, open_idx) <= (appended_position, appended_idx)
              and exists (select 1 from extras_webhook w where w.id = m.webhook_id)
            order by open_position, open_idx limit 1)
         order by c.position, c.idx limit 1)
     ) at time zone 'UTC', 'YYYY-MM-DD') as day`
  )
  return row?.day ?? undefined
})

const afterwards = (id: string): Position => {
  const { position, idx } = parsePosition(id)
  return { position, idx: idx + 1 }
}
