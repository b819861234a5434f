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
 * known. Returns a place in the WAL of this database behind which the last events are.
 */
export const relay = Effect.fnUntraced(function* <E, R>(
  { source, generation }: Lead,
  confirmed: string | undefined,
  use: (emit: (part: RelayPart) => Effect.Effect<void, EmitError, EmitServices>) => Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  let lsn = "0/0"
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const [own] = yield* sql<{ readonly xid: number }>`
        update rackwire_source set confirmed_lsn = coalesce(${confirmed ?? null}::text, confirmed_lsn), read_at = now()
         where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint
        returning mod(pg_current_xact_id()::text::numeric, 4294967296)::float8 as xid`
      if (own === undefined) return yield* superseded()
      yield* use((part) =>
        Effect.map(emitPart(source, own.xid, part), (last) => {
          lsn = last ?? lsn
        })
      )
    })
  )
  return lsn
})

type EmitError = Effect.Error<ReturnType<typeof emitPart>>
type EmitServices = Effect.Services<ReturnType<typeof emitPart>>

/** Emits events, a statement for so many; fails where one of the rows is relayed already, by a transaction whose end this process did not see. */
const emitPart = Effect.fnUntraced(function* (source: number, xid: number, { events, unused }: RelayPart) {
  const sql = yield* SqlClient.SqlClient
  const { seal } = yield* Vault
  let lsn: string | undefined
  const parts =
    unused.length > 0 || events.length === 0
      ? [...chunksOf(events, statementEvents), []]
      : chunksOf(events, statementEvents)
  for (const part of parts) {
    const sealed = yield* mapInSlices(part, ({ event }) => seal(relayedText(event, xid)))
    const ids = part.length === 0 ? unused : part.flatMap((each) => each.ids)
    const { change = null, time = null } = part.at(-1)?.event.source ?? {}
    const [row] = yield* sql<{ readonly added: number; readonly lsn: string }>`
      with noted as (
        insert into rackwire_source_change (source_id, change_id)
        select ${`${source}`}::text::bigint, unnest(${ids}::text[]::bigint[]) on conflict do nothing returning 1),
      counted as (
        update rackwire_source set events = events + ${`${part.length}`}::text::bigint,
               last_change_id = greatest(${change}::text::bigint, last_change_id),
               last_change_at = coalesce(${time}::text::timestamptz, last_change_at)
         where source_id = ${`${source}`}::text::bigint and ${part.length > 0}::boolean),
      emitted as materialized (
        select pg_logical_emit_message(true, ${relayedPrefix}, content) from unnest(${sealed}::text[]) content)
      select (select count(*)::int from noted) as added,
             greatest((select max(pg_logical_emit_message) from emitted), pg_current_wal_insert_lsn())::text as lsn`
    if (row!.added !== ids.length) return yield* repeated()
    lsn = row!.lsn
  }
  return lsn
})
