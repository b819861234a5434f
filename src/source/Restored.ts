/** A database of a source that is an older copy than was read of it: its ids and places in the WAL are used again. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { untilCaptured } from "./Capacity.ts"
import { fill } from "./Fill.ts"
import type { OpenSource } from "./OpenSource.ts"
import { SourceFailed } from "./SourceFailed.ts"
import { noteLoss } from "./state/Loss.ts"
import { type KnownState, type Lead, beginAt, lastRelayed } from "./state/SourceState.ts"

/** A commit is in the WAL, and relayed, a moment before others see it: a missing row is read so often more. */
const rereads = 5
const rereadPause = "200 millis"

/**
 * Whether the row that was relayed last is another one now, or is missing. Retention deletes the oldest rows, so it has
 * not deleted a row that is newer than others in the table. A copy has everything that was committed before what it has:
 * with this row it lacks nothing that was relayed.
 */
export const lacksLast = Effect.fnUntraced(function* (
  { sql, table }: Pick<OpenSource, "sql" | "table">,
  { lastId, lastAt }: Pick<KnownState, "lastId" | "lastAt">
) {
  if (lastId === null) return false
  const compare = sql.unsafe<{ readonly isSame: boolean | null; readonly hasOlder: boolean }>(
    `select (select time = $2::text::timestamptz from ${table.name} where id = $1::text::bigint) as "isSame",
            exists (select from ${table.name} where id < $1::text::bigint) as "hasOlder"`,
    [lastId, lastAt]
  )
  let [found] = yield* compare
  for (let turn = 0; turn < rereads && found!.isSame === null && found!.hasOlder; turn++) {
    yield* Effect.sleep(rereadPause)
    found = (yield* compare)[0]
  }
  return found!.isSame === null ? found!.hasOlder : !found!.isSame
})

/** Fails where the database was replaced by an older copy while it is read: the next session begins anew. */
export const refuseOlder = Effect.fnUntraced(function* (source: OpenSource, lead: Lead) {
  if (!(yield* lacksLast(source, yield* lastRelayed(lead)))) return
  return yield* new SourceFailed({ reason: "Restored", message: "its database was replaced by an older copy" })
})

/**
 * Begins to read such a database: relays its changes of which no events were made. `end`: a place in its WAL, if it is
 * streamed: earlier transactions are compared by their rows. Returns what has been read then.
 */
export const beginRestored = Effect.fnUntraced(function* (
  source: OpenSource,
  lead: Lead,
  state: KnownState,
  identity: Pick<KnownState, "systemId" | "timeline">,
  end?: string
) {
  const { settledId, read } = yield* knownRows(source, state)
  if (state.lastId !== null) {
    yield* noteLoss(source.row, "its database is an older copy than was read: changes that it lost were sent")
  }
  yield* beginAt(lead, identity, settledId, { read, confirmed: end })
  yield* fill(source, lead, settledId, read)
  return { settledId, read }
})

/** Most events that are compared with the rows, and newest rows of which each is known by its id. */
const comparedEvents = 10_000
const comparedRows = 10_000n

/**
 * The id up to which no row is new, and the ids of later rows that are not new either. Rows are recognized by id and
 * time, among the newest events of the change log. A row that is older than these has been read, or is from before the
 * source was attached.
 */
const knownRows = Effect.fnUntraced(function* ({ row, sql, table }: OpenSource, { lastAt }: KnownState) {
  // Events that are relayed and not captured yet are not in the change log.
  yield* untilCaptured
  const own = yield* SqlClient.SqlClient
  const logged = yield* own<{ readonly change: string; readonly time: string }>`
    select source ->> 'change' as change, source ->> 'time' as time from extras_objectchange
     where changed_object_type like ${`${row.id}:%`} order by time desc limit ${comparedEvents}`
  const [oldest] = yield* own<{ readonly time: string }>`
    select coalesce((select min(t.time::timestamptz) from unnest(${logged.map(({ time }) => time)}::text[]) t (time)),
                    ${lastAt}::text::timestamptz, (select created from extras_source where id = ${`${row.id}`}::text::bigint))::text as time`
  // Rows below the newest ones may be committed later.
  const [settled] = yield* sql.unsafe<{ readonly id: string }>(
    `select greatest(0, least((select min(id) - 1 from ${table.name} where time > $1::text::timestamptz),
                              (select max(id) from ${table.name}) - ${comparedRows}))::text as id`,
    [oldest!.time]
  )
  const known = yield* sql.unsafe<{ readonly id: string }>(
    `select c.id::text as id from ${table.name} c
      where c.id > $1::text::bigint and (c.time <= $2::text::timestamptz or exists (
        select from unnest($3::text[]::bigint[], $4::text[]::timestamptz[]) k (id, time)
          join ${table.name} o on o.id = k.id and o.time = k.time
         where o.request_id = c.request_id and o.changed_object_type_id = c.changed_object_type_id
           and o.changed_object_id = c.changed_object_id and o.id >= c.id))`,
    [settled!.id, oldest!.time, logged.map(({ change }) => change), logged.map(({ time }) => time)]
  )
  return { settledId: settled!.id, read: new Set(known.map(({ id }) => id)) }
})
