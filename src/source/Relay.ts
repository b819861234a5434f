/**
 * Writes events of a source into the WAL of this database, in one transaction with what has been read of the source
 * (state/SourceState.ts): each is relayed once, whichever process dies at which moment.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type RelayedEvent, relayedPrefix, relayedSql, sealRelayed } from "../capture/RelayedEvent.ts"
import { mapInSlices } from "../eventloop/Slices.ts"
import { Vault } from "../inventory/Vault.ts"
import type { Capacity } from "./Capacity.ts"
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

/** Most events of one statement, and characters: those of other sources may have to wait for them. */
const statementEvents = 25
const statementChars = 4 * 1024 * 1024

/**
 * Relays events, when capture has most of the earlier ones. `confirmed`: up to where in the WAL of the source everything is
 * relayed with them, if that is known.
 */
export const relay = Effect.fnUntraced(function* (
  { capacity }: { readonly capacity: Capacity },
  lead: Lead,
  confirmed: string | undefined,
  { events, unused }: RelayPart
) {
  const parts = partsOf(events)
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1
    yield* capacity.free
    // One statement is a transaction of its own.
    const lsn = yield* emit(lead, isLast ? confirmed : undefined, { events: part, unused: isLast ? unused : [] })
    yield* capacity.note({ lsn, events: part.length })
  }
})

/** Events, divided into statements; one if there are none. */
const partsOf = (events: RelayPart["events"]): ReadonlyArray<RelayPart["events"]> => {
  const parts: Array<Array<OwedEvent>> = [[]]
  let chars = 0
  for (const each of events) {
    const { data, prechange, postchange } = each.event.json
    const its = data.length + prechange.length + postchange.length
    const last = parts.at(-1)!
    if (last.length < statementEvents && (last.length === 0 || chars + its <= statementChars)) {
      last.push(each)
      chars += its
      continue
    }
    parts.push([each])
    chars = its
  }
  return parts
}

/**
 * Returns a place in the WAL of this database behind which the events are. Fails where another process has the lead, or one
 * of the rows is relayed already, by a transaction whose end this process did not see.
 */
const emit = Effect.fnUntraced(function* (
  { source, generation }: Lead,
  confirmed: string | undefined,
  { events, unused }: RelayPart
) {
  const { seal } = yield* Vault
  const sealed = yield* mapInSlices(events, ({ event }) => sealRelayed(event, seal))
  const ids = [...events.flatMap((each) => each.ids), ...unused]
  const newest = events.at(-1)?.event.source
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly lsn: string }>`
    with own as (
      update rackwire_source
         set confirmed_lsn = coalesce(${confirmed ?? null}::text, confirmed_lsn), read_at = now(),
             events = events + ${`${sealed.length}`}::text::bigint,
             last_change_id = coalesce(${newest?.change ?? null}::text::bigint, last_change_id),
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
