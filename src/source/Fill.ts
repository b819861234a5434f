/** Relays changes of transactions, and changes that are read from the table: where no slot had them, and by polling. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { FoldedChange } from "./netbox/ChangeRow.ts"
import { changesBehind } from "./netbox/NetBoxTable.ts"
import type { OpenSource } from "./OpenSource.ts"
import { type RelayPart, relay } from "./Relay.ts"
import { eventsOf } from "./SourceEvents.ts"
import type { Lead } from "./state/SourceState.ts"

/** The events of changes; `ids` are all rows that were read for them. */
export const partOf = Effect.fnUntraced(function* (
  { events, learn }: OpenSource,
  changes: ReadonlyArray<FoldedChange>,
  ids: ReadonlyArray<string>
) {
  yield* learn(new Set(changes.map(({ contentType }) => contentType)))
  const part = yield* eventsOf(events, changes)
  const used = new Set(part.events.flatMap((each) => each.ids))
  return { events: part.events, unused: ids.filter((id) => !used.has(id)) } satisfies RelayPart
})

/**
 * Relays everything behind an id that is not among the read ones, page by page, and adds the ids of what it relays. Returns
 * the moment up to which everything has been read then, and how many events there were.
 */
export const fill = Effect.fnUntraced(function* (source: OpenSource, lead: Lead, settledId: string, read: Set<string>) {
  let events = 0
  while (true) {
    const page = yield* changesBehind(source.sql, source.table, settledId, [...read])
    if (page.ids.length > 0) {
      const part = yield* partOf(source, page.changes, page.ids)
      yield* relay(source, lead, undefined, part)
      events += part.events.length
      for (const id of page.ids) read.add(id)
    }
    if (page.isWhole) return { next: page.next, events }
  }
})

/** Most rows of a restored database that are compared with the change log here. */
const comparedRows = 10_000

/**
 * The ids of the newest rows of a restored database of which events were made before it was restored, and the id
 * behind which all newest rows are. Rows are recognized by id and time: a restored database uses ids again.
 */
export const knownRows = Effect.fnUntraced(function* ({ row, sql, table }: OpenSource, lastId: string) {
  const own = yield* SqlClient.SqlClient
  const from = BigInt(lastId) > BigInt(comparedRows) ? BigInt(lastId) - BigInt(comparedRows) : 0n
  const logged = yield* own<{ readonly change: string; readonly time: string }>`
    select source ->> 'change' as change, source ->> 'time' as time from extras_objectchange
     where changed_object_type like ${`${row.id}:%`} and (source ->> 'change')::bigint > ${`${from}`}::text::bigint
     order by time desc limit ${comparedRows}`
  const known = yield* sql.unsafe<{ readonly id: string }>(
    `select c.id::text as id from ${table.name} c
      where c.id > $1::text::bigint and exists (
        select from unnest($2::text[]::bigint[], $3::text[]::timestamptz[]) k (id, time)
          join ${table.name} o on o.id = k.id and date_trunc('milliseconds', o.time) = date_trunc('milliseconds', k.time)
         where o.request_id = c.request_id and o.changed_object_type_id = c.changed_object_type_id
           and o.changed_object_id = c.changed_object_id)`,
    [`${from}`, logged.map(({ change }) => change), logged.map(({ time }) => time)]
  )
  return { settledId: `${from}`, read: new Set(known.map(({ id }) => id)) }
})
