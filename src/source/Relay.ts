/**
 * Writes events of a source into the WAL of this database, in one transaction with what has been read of the source
 * (state/SourceState.ts): each is relayed once, whichever process dies at which moment.
 */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient } from "effect/sql"
import { type RelayedEvent, type SealedEvent, relayedPrefix, relayedSql, sealRelayed } from "../capture/RelayedEvent.ts"
import type { SourceFacts } from "../event/Event.ts"
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
 * Relays events. `confirmed`: up to where in the WAL of the source everything is relayed with them, if that is known.
 * Returns a place in the WAL of this database behind which the last of them are.
 */
export const relay = Effect.fnUntraced(function* (lead: Lead, confirmed: string | undefined, part: RelayPart) {
  const sql = yield* SqlClient.SqlClient
  const all = emit(lead, confirmed, part)
  // One statement is a transaction of its own.
  return yield* part.events.length <= statementEvents ? all : sql.withTransaction(all)
})

/** Relays what `use` emits, in one transaction, with the statements that it runs itself. */
export const relayTogether = Effect.fnUntraced(function* <E, R>(
  lead: Lead,
  confirmed: string,
  use: (emitPart: (part: RelayPart) => ReturnType<typeof emit>) => Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const all = Effect.andThen(
    use((part) => emit(lead, confirmed, part)),
    // Also where nothing was emitted.
    emit(lead, confirmed, { events: [], unused: [] })
  )
  return yield* sql.withTransaction(all)
})

/** A statement for so many events; the rows of which no event is made are in the last one. */
const emit = Effect.fnUntraced(function* (lead: Lead, confirmed: string | undefined, { events, unused }: RelayPart) {
  const { seal } = yield* Vault
  const parts = events.length === 0 ? [[]] : chunksOf(events, statementEvents)
  let lsn = "0/0"
  for (const [at, part] of parts.entries()) {
    const sealed = yield* mapInSlices(part, ({ event }) => sealRelayed(event, seal))
    const ids = [...part.flatMap((each) => each.ids), ...(at === parts.length - 1 ? unused : [])]
    const newest = part.at(-1)?.event.source
    lsn = yield* emitSealed(lead, { confirmed, sealed, ids, newest })
  }
  return lsn
})

interface Emission {
  readonly confirmed: string | undefined
  readonly sealed: ReadonlyArray<SealedEvent>
  readonly ids: ReadonlyArray<string>
  readonly newest: SourceFacts | undefined
}

/** Fails where another process has the lead, or one of the rows is relayed already, by a transaction whose end this process did not see. */
const emitSealed = Effect.fnUntraced(function* (
  { source, generation }: Lead,
  { confirmed, sealed, ids, newest }: Emission
) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly lsn: string }>`
    with own as (
      update rackwire_source
         set confirmed_lsn = coalesce(${confirmed ?? null}::text, confirmed_lsn), read_at = now(),
             events = events + ${`${sealed.length}`}::text::bigint,
             last_change_id = greatest(${newest?.change ?? null}::text::bigint, last_change_id),
             last_change_at = coalesce(${newest?.time ?? null}::text::timestamptz, last_change_at)
       where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint
      returning source_id),
    noted as (
      insert into rackwire_source_change (source_id, change_id)
      select source_id, unnest(${ids}::text[]::bigint[]) from own),
    emitted as materialized (
      select pg_logical_emit_message(true, ${relayedPrefix}, ${sql.literal(relayedSql("e.sealed", "e.proof"))}) as lsn
        from own, unnest(${sealed.map((each) => each.sealed)}::text[], ${sealed.map(({ proof }) => proof)}::text[])
             as e (sealed, proof))
    select greatest((select max(lsn) from emitted), pg_current_wal_insert_lsn())::text as lsn from own`.pipe(
    Effect.catchReason("SqlError", "UniqueViolation", repeated)
  )
  if (row === undefined) return yield* superseded()
  return row.lsn
})
