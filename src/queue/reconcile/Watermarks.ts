/**
 * Two positions of each webhook's stream, kept in Postgres: up to where it was filled, and from where on entries may be
 * unfinished.
 *
 * `appended` is written after the entries are appended and before the WAL is confirmed, so a Redis with a lower one has
 * lost entries. `open` trails behind: all deliveries before it are in the delivery log.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { type Position, parsePosition } from "../../event/Position.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import type { Tops } from "../Append.ts"

export const watermarkTable: Table = {
  name: "rackwire_watermark",
  daily: false,
  columns: [
    { name: "webhook_id", type: "bigint", nullable: false },
    { name: "appended_position", type: "bigint", nullable: false },
    { name: "appended_idx", type: "bigint", nullable: false },
    { name: "open_position", type: "bigint", nullable: false },
    { name: "open_idx", type: "bigint", nullable: false },
    // FloodMarks.ts
    ...["flood_after_position", "flood_after_idx", "flood_until_position", "flood_until_idx"].map((name) => ({
      ...{ name, type: "bigint", nullable: false, default: "0" }
    }))
  ],
  constraints: [{ name: "rackwire_watermark_key", sql: "unique (webhook_id)" }],
  indexes: [],
  triggers: [],
  published: false
}

const table = watermarkTable.name

/** The last id that was appended to each stream. */
export const loadTops = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly webhook: string; readonly top: string }>(
    `select webhook_id::text as webhook, appended_position || '-' || appended_idx as top from ${table}
      where exists (select 1 from extras_webhook w where w.id = webhook_id)`
  )
  return new Map(rows.map(({ webhook, top }) => [Number(webhook), top])) satisfies Tops
})

/** Notes that entries were appended up to these ids. */
export const advance = Effect.fnUntraced(function* (tops: Tops) {
  if (tops.size === 0) return
  const sql = yield* SqlClient.SqlClient
  const ids = [...tops.values()].map(parsePosition)
  yield* sql.unsafe(
    `insert into ${table} (webhook_id, appended_position, appended_idx, open_position, open_idx)
     select w, p, i, 0, 0 from unnest($1::text[]::bigint[], $2::text[]::bigint[], $3::text[]::bigint[]) as u (w, p, i)
     on conflict (webhook_id) do update
       set appended_position = excluded.appended_position, appended_idx = excluded.appended_idx
     where (excluded.appended_position, excluded.appended_idx) > (${table}.appended_position, ${table}.appended_idx)`,
    [asTexts(tops.keys()), ids.map(({ position }) => `${position}`), ids.map(({ idx }) => `${idx}`)]
  )
})

/** The id of each webhook's first unfinished entry; undefined if its stream is empty. */
type Heads = ReadonlyMap<number, string | undefined>

/** Notes where unfinished entries begin. `tops` are the last ids as they were before the heads were read. */
export const noteOpen = Effect.fnUntraced(function* (heads: Heads, tops: Tops) {
  if (heads.size === 0) return
  const sql = yield* SqlClient.SqlClient
  // With an empty stream, the first entry that may be unfinished is the one after the last id.
  const open = Array.from(heads, ([webhook, head]) =>
    head === undefined ? afterwards(tops.get(webhook)!) : parsePosition(head)
  )
  yield* sql.unsafe(
    `update ${table} set open_position = p, open_idx = i
       from unnest($1::text[]::bigint[], $2::text[]::bigint[], $3::text[]::bigint[]) as u (w, p, i) where webhook_id = w`,
    [asTexts(heads.keys()), open.map(({ position }) => `${position}`), open.map(({ idx }) => `${idx}`)]
  )
})

/**
 * The day of the oldest change that a delivery in a stream, or one that waits for its next attempt, still needs;
 * undefined for none. Long events are read from the change log, and all events after Redis has lost entries.
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
         order by c.position, c.idx limit 1),
       (select c.time from extras_objectchange c
         where c.position >= (
           select min(flood_after_position) from ${table} m
            where (flood_after_position, flood_after_idx) < (flood_until_position, flood_until_idx)
              and exists (select 1 from extras_webhook w where w.id = m.webhook_id))
         order by c.position, c.idx limit 1)
     ) at time zone 'UTC', 'YYYY-MM-DD') as day`
  )
  return row?.day ?? undefined
})

const afterwards = (id: string): Position => {
  const { position, idx } = parsePosition(id)
  return { position, idx: idx + 1 }
}
