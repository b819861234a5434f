/**
 * The debts of floods (pipeline/Floods.ts), beside the watermarks: to a webhook the events behind `flood_after`, up to
 * `flood_until`. Both only rise, so that a process that no longer leads writes nothing that is wrong.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { type Position, comparePositions, positionOf } from "../../event/Position.ts"
import type { Place } from "../../changelog/EventsAfter.ts"
import { watermarkTable } from "./Watermarks.ts"

/** The events that batches leave to a flood. */
export interface Flood {
  /** By webhook, the place behind which its events are left. */
  readonly webhooks: ReadonlyMap<number, Position>
  /** The place up to which they are. */
  readonly until: Position
}

const table = watermarkTable.name

/** SQL: the later one of the stored place and the new one. */
const later = (place: string): string => {
  const columns = [`${place}_position`, `${place}_idx`]
  const of = (row: string) => `(${columns.map((column) => `${row}.${column}`).join(", ")})`
  return columns
    .map(
      (each) => `${each} = case when ${of("excluded")} > ${of(table)} then excluded.${each} else ${table}.${each} end`
    )
    .join(", ")
}

/** Notes that the events between are owed, and that earlier ones are queued. */
export const noteFlood = Effect.fnUntraced(function* ({ webhooks, until }: Flood) {
  const sql = yield* SqlClient.SqlClient
  const after = [...webhooks.values()]
  yield* sql.unsafe(
    `insert into ${table} (webhook_id, appended_position, appended_idx, open_position, open_idx,
                           flood_after_position, flood_after_idx, flood_until_position, flood_until_idx)
     select w, 0, 0, 0, 0, p, i, $4::text::bigint, $5::text::bigint
       from unnest($1::text[]::bigint[], $2::text[]::bigint[], $3::text[]::bigint[]) as u (w, p, i)
     on conflict (webhook_id) do update set ${later("flood_after")}, ${later("flood_until")}`,
    [
      asTexts(webhooks.keys()),
      after.map(({ position }) => `${position}`),
      after.map(({ idx }) => `${idx}`),
      `${until.position}`,
      `${until.idx}`
    ]
  )
})

interface Row {
  readonly webhook: string
  readonly after: Place
  readonly until: Place
}

/** The webhooks that are owed events before a position, and between which places these are. */
export const floodsBefore = Effect.fnUntraced(function* (position: bigint) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<Row>(
    `select webhook_id::text as webhook,
            json_build_object('position', flood_after_position::text, 'idx', flood_after_idx::text) as after,
            json_build_object('position', flood_until_position::text, 'idx', flood_until_idx::text) as until
       from ${table}
      where (flood_after_position, flood_after_idx) < (flood_until_position, flood_until_idx)
        and flood_after_position < $1::text::bigint
        and exists (select 1 from extras_webhook w where w.id = webhook_id)`,
    [`${position}`]
  )
  const end = { position, idx: -1 }
  return rows.map(({ webhook, after, until }) => {
    const last = positionOf(until)
    return {
      webhook: Number(webhook),
      after: positionOf(after),
      until: comparePositions(last, end) < 0 ? last : end
    }
  })
})
