/**
 * Writes events of a source into the WAL of this database, in one transaction with what has been read of the source
 * (state/SourceState.ts): each is relayed once, whichever process dies at which moment.
 */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient } from "effect/sql"
import { type RelayedEvent, relayedPrefix, relayedText } from "../capture/RelayedEvent.ts"
import { mapInSlices } from "../eventloop/Slices.ts"
import { Vault } from "../inventory/Vault.ts"
import { type Lead, repeated, superseded } from "./state/SourceState.ts"

/** An event, and the ids of the rows that it was made of. */
export interface OwedEvent {
  readonly event: RelayedEvent
  readonly ids: ReadonlyArray<string>
}

/** Events to relay, and ids of rows of which none is made. */
export interface RelayPart {
  readonly events: ReadonlyArray<OwedEvent>
  readonly unused: ReadonlyArray<string>
}

/** Most events of one statement. */
const statementEvents = 200

/**
 * Relays what `use` emits. `confirmed`: up to where in the WAL of the source everything is relayed with it, if that is
 * known. Returns the place in the WAL of this database behind which the events are.
 */
export const relay = Effect.fnUntraced(function* <E, R>(
  { source, generation }: Lead,
  confirmed: string | undefined,
  use: (emit: (part: RelayPart) => ReturnType<typeof emitPart>) => Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.withTransaction(
    Effect.gen(function* () {
      const [own] = yield* sql<{ readonly xid: number }>`
        update rackwire_source set confirmed_lsn = coalesce(${confirmed ?? null}::text, confirmed_lsn), read_at = now()
         where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint
        returning mod(pg_current_xact_id()::text::numeric, 4294967296)::float8 as xid`
      if (own === undefined) return yield* superseded()
      yield* use((part) => emitPart(source, own.xid, part))
      return yield* sql<{ readonly lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`
    })
  )
  return row!.lsn
})

const emitPart = Effect.fnUntraced(function* (source: number, xid: number, { events, unused }: RelayPart) {
  const sql = yield* SqlClient.SqlClient
  const { seal } = yield* Vault
  const id = `${source}`
  for (const part of chunksOf(events, statementEvents)) {
    const sealed = yield* mapInSlices(part, ({ event }) => seal(relayedText(event, xid)))
    const { change, time } = part.at(-1)!.event.source
    yield* noteRead(
      id,
      part.flatMap((each) => each.ids)
    )
    yield* sql`
      with counted as (
        update rackwire_source set events = events + ${`${part.length}`}::text::bigint,
               last_change_id = ${change}::text::bigint, last_change_at = ${time}::text::timestamptz
         where source_id = ${id}::text::bigint)
      select count(pg_logical_emit_message(true, ${relayedPrefix}, content))::text as count
        from unnest(${sealed}::text[]) content`
  }
  if (unused.length > 0) yield* noteRead(id, unused)
})

/** Fails where one of the rows is relayed already, by a transaction whose end this process did not see. */
const noteRead = Effect.fnUntraced(function* (source: string, ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const added = yield* sql`
    insert into rackwire_source_change (source_id, change_id)
    select ${source}::text::bigint, unnest(${ids}::text[]::bigint[]) on conflict do nothing returning 1 as one`
  if (added.length !== ids.length) return yield* repeated()
})
