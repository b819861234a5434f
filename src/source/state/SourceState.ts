/**
 * The part of each source that has been read. It is written in the transaction that relays the events, so both are there or
 * neither, also after this database was restored from a backup.
 *
 * The order of ids is not the order of commits, so no single id separates the rows that were read from the others. Instead:
 * - `settled_id`: every committed row up to this id has been read, and no other one will be committed (IdFloor.ts).
 * - `rackwire_source_change`: higher ids of rows that were read.
 *
 * The number of a row's transaction decides nothing: NetBox updates old rows, as all of a user who is deleted.
 */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SourceRow } from "../SourceRow.ts"
import { ProcessName } from "../../postgres/Presence.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

export const sourceStateTable: Table = {
  name: "rackwire_source",
  daily: false,
  columns: [
    { name: "source_id", type: "bigint", nullable: false },
    // Rises with every process that takes the lead: an earlier one can relay no more.
    { name: "generation", type: "bigint", nullable: false, default: "0" },
    { name: "holder", type: "text", nullable: false, default: "''" },
    // Sealed. With these the slot of a source that is deleted is dropped.
    { name: "database_url", type: "text", nullable: false, default: "''" },
    { name: "slot", type: "text", nullable: true },
    // Identity of the database of the source: another one, or another timeline, is a restored backup.
    { name: "system_id", type: "text", nullable: true },
    { name: "timeline", type: "bigint", nullable: true },
    { name: "settled_id", type: "bigint", nullable: true },
    // Up to where in the WAL of the source all changes are relayed. No slot that was read is confirmed further than that:
    // a slot that is lacks changes, since it was made anew, or this database was restored.
    { name: "confirmed_lsn", type: "text", nullable: true },
    { name: "lag_bytes", type: "bigint", nullable: true },
    { name: "retained_bytes", type: "bigint", nullable: true },
    // The row that was relayed last, in the order of commits. A database without it is an older copy.
    { name: "last_change_id", type: "bigint", nullable: true },
    { name: "last_change_at", type: "timestamp with time zone", nullable: true },
    // The last sign of the process that reads.
    { name: "read_at", type: "timestamp with time zone", nullable: true },
    { name: "events", type: "bigint", nullable: false, default: "0" },
    { name: "problem", type: "text", nullable: false, default: "''" }
  ],
  constraints: [{ name: "rackwire_source_key", sql: "unique (source_id)" }],
  indexes: [],
  triggers: [],
  published: false
}

export const sourceChangeTable: Table = {
  name: "rackwire_source_change",
  daily: false,
  columns: [
    { name: "source_id", type: "bigint", nullable: false },
    { name: "change_id", type: "bigint", nullable: false }
  ],
  constraints: [{ name: "rackwire_source_change_key", sql: "unique (source_id, change_id)" }],
  indexes: [],
  triggers: [],
  published: false
}

/**
 * The state is not as this process believes.
 *
 * - `Superseded`: another process has taken the lead.
 * - `Repeated`: rows are relayed already: the state is read anew.
 */
export class StateConflict extends Data.TaggedError("StateConflict")<{
  readonly reason: "Superseded" | "Repeated"
  readonly message: string
}> {}

export const superseded = () =>
  new StateConflict({ reason: "Superseded", message: "another process reads this source" })

export const repeated = () => new StateConflict({ reason: "Repeated", message: "changes are relayed already" })

/** A process that reads a source, by its generation. */
export interface Lead {
  readonly source: number
  readonly generation: number
}

export interface KnownState {
  readonly systemId: string | null
  readonly timeline: string | null
  /** Every row up to this id has been read; null where none ever was. */
  readonly settledId: string | null
  readonly confirmedLsn: string | null
  /** Id and time of the row that was relayed last; null for none. */
  readonly lastId: string | null
  readonly lastAt: string | null
  /** The slot by which the source was read before; null for none, or if it was polled. */
  readonly formerSlot: string | null
}

interface StateRow {
  readonly generation: number
  readonly system: string | null
  readonly timeline: string | null
  readonly settled: string | null
  readonly lsn: string | null
  readonly lastId: string | null
  readonly lastAt: string | null
  readonly former: string | null
}

/** Takes the lead; returns what is known. `silentMillis`: fails where another process gave a sign more recently. */
export const takeLead = Effect.fnUntraced(function* (
  { id: source, mode, slot, database_url: url }: Pick<SourceRow, "id" | "mode" | "slot" | "database_url">,
  silentMillis?: number
) {
  const sql = yield* SqlClient.SqlClient
  const holder = yield* ProcessName
  yield* sql`insert into rackwire_source (source_id) values (${`${source}`}::text::bigint) on conflict do nothing`
  const [row] = yield* sql<StateRow>`
    update rackwire_source set generation = generation + 1, holder = ${holder}, read_at = now(), database_url = ${url},
           slot = ${mode === "stream" ? slot : null}
      from (select s.slot from rackwire_source s where s.source_id = ${`${source}`}::text::bigint for update) former
     where source_id = ${`${source}`}::text::bigint
       and (${silentMillis ?? null}::float8 is null or holder = ${holder} or read_at is null
            or read_at < now() - ${silentMillis ?? 0}::float8 * interval '1 millisecond')
    returning generation::int as generation, system_id as system, timeline::text as timeline,
              settled_id::text as settled, confirmed_lsn as lsn, last_change_id::text as "lastId",
              last_change_at::text as "lastAt", former.slot as former`
  if (row === undefined) return yield* superseded()
  const state: KnownState = {
    ...{ systemId: row.system, timeline: row.timeline, settledId: row.settled, confirmedLsn: row.lsn },
    ...{ lastId: row.lastId, lastAt: row.lastAt },
    formerSlot: row.former
  }
  return { lead: { source, generation: row.generation } satisfies Lead, state }
})

/**
 * Notes the identity of the database that is read from now on, null where it is polled, and where reading begins: behind
 * an id, without the rows that are read already.
 */
export const beginAt = Effect.fnUntraced(function* (
  { source, generation }: Lead,
  { systemId, timeline }: Pick<KnownState, "systemId" | "timeline">,
  settledId: string,
  { read = new Set(), confirmed }: { readonly read?: ReadonlySet<string>; readonly confirmed?: string | undefined } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const write = Effect.gen(function* () {
    const [row] = yield* sql`
      update rackwire_source set system_id = ${systemId}, timeline = ${timeline}::text::bigint,
             settled_id = ${settledId}::text::bigint, confirmed_lsn = ${confirmed ?? null}, last_change_id = null
       where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint returning 1 as one`
    if (row === undefined) return yield* superseded()
    yield* sql`delete from rackwire_source_change where source_id = ${`${source}`}::text::bigint`
    yield* sql`
      insert into rackwire_source_change (source_id, change_id)
      select ${`${source}`}::text::bigint, unnest(${[...read]}::text[]::bigint[])`
  })
  yield* sql.withTransaction(write)
})

/** The ids of rows that were read behind the settled one. */
export const readIds = (source: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string }>`
        select change_id::text as id from rackwire_source_change where source_id = ${`${source}`}::text::bigint`,
      (rows) => rows.map(({ id }) => id)
    )
  )

/** Notes that every committed row up to an id has been read, and that no other will be. `confirmed`: as in noteReading. */
export const settle = Effect.fnUntraced(function* ({ source, generation }: Lead, id: string, confirmed?: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    with own as (
      update rackwire_source
         set confirmed_lsn = ${furtherSql(sql, confirmed)}, settled_id = ${id}::text::bigint, read_at = now()
       where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint
      returning source_id),
    forgotten as (
      delete from rackwire_source_change c using own
       where c.source_id = own.source_id and c.change_id <= ${id}::text::bigint)
    select 1 as one from own`
  if (row === undefined) return yield* superseded()
})

/** SQL: the place up to which all changes are relayed, which never moves back. */
const furtherSql = (sql: SqlClient.SqlClient, confirmed: string | undefined) =>
  sql`greatest(confirmed_lsn::pg_lsn, ${confirmed ?? null}::text::pg_lsn)::text`

interface SourceGauge {
  readonly lagBytes: number | null
  readonly retainedBytes: number | null
}

/** A sign of the process that reads, with what it measured. `confirmed`: up to where all changes are relayed, if that is known. */
export const noteReading = Effect.fnUntraced(function* (
  { source, generation }: Lead,
  { lagBytes, retainedBytes }: SourceGauge,
  problem: string,
  confirmed?: string
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    update rackwire_source set read_at = now(), confirmed_lsn = ${furtherSql(sql, confirmed)}, lag_bytes = ${lagBytes === null ? null : `${lagBytes}`}::text::bigint,
           retained_bytes = ${retainedBytes === null ? null : `${retainedBytes}`}::text::bigint, problem = ${problem}
     where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint returning 1 as one`
  if (rows.length === 0) return yield* superseded()
})

/**
 * Notes the identity of the database that is read from now on. `confirmed`: the end of its WAL, where the place that was
 * confirmed is one of another WAL.
 */
export const noteIdentity = Effect.fnUntraced(function* (
  { source, generation }: Lead,
  { systemId, timeline }: { readonly systemId: string; readonly timeline: string },
  confirmed: string | undefined
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update rackwire_source set system_id = ${systemId}, timeline = ${timeline}::text::bigint,
           confirmed_lsn = coalesce(${confirmed ?? null}::text, confirmed_lsn)
     where source_id = ${`${source}`}::text::bigint and generation = ${`${generation}`}::text::bigint`
})

/** The highest id of a row that has been read. */
export const highestRead = ({ source }: Lead) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string }>`
        select greatest(s.settled_id, (select max(c.change_id) from rackwire_source_change c
                                        where c.source_id = s.source_id))::text as id
          from rackwire_source s where s.source_id = ${`${source}`}::text::bigint`,
      ([row]) => row!.id
    )
  )

/** Id and time of the row that was relayed last. */
export const lastRelayed = ({ source }: Lead) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Pick<KnownState, "lastId" | "lastAt">>`
        select last_change_id::text as "lastId", last_change_at::text as "lastAt" from rackwire_source
         where source_id = ${`${source}`}::text::bigint`,
      ([row]) => row!
    )
  )
