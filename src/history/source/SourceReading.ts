/** How far a source is read: progress, lag, the WAL that its server keeps, and its gaps. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Gap } from "../capture/CaptureState.ts"

/** The progress of the process that reads a source. */
export interface SourceProgress {
  /** The process, and how long ago it reported, milliseconds; null where it has not reported. */
  readonly holder: string
  readonly silentMillis: number | null
  /** Place in the WAL of the source up to which all changes are read; null where no slot is read. */
  readonly confirmedLsn: string | null
  /** WAL that is written and not read, and WAL that the server keeps for the slot, bytes; null where none was measured. */
  readonly lagBytes: number | null
  readonly retainedBytes: number | null
  /** The change that was read last, by its id in the change table; null before the first one. */
  readonly lastChangeId: string | null
  readonly lastChangeAt: string | null
  /** Events that were made of changes so far. */
  readonly events: number
  /** Empty for none. */
  readonly problem: string
}

export interface SourceReading {
  /** Null if no process has begun to read the source. */
  readonly progress: SourceProgress | null
  /** Its gaps, the unacknowledged ones first. */
  readonly gaps: ReadonlyArray<Gap>
}

/** Most gaps that are listed. */
const listedMax = 10

/** SQL: the progress of a row of `rackwire_source`, as JSON. */
const progress = `json_build_object('holder', holder,
  'silentMillis', case when read_at is not null
    then greatest(extract(epoch from now() - read_at)::float8 * 1000, 0) end,
  'confirmedLsn', confirmed_lsn, 'lagBytes', lag_bytes, 'retainedBytes', retained_bytes,
  'lastChangeId', last_change_id::text, 'lastChangeAt', last_change_at, 'events', events, 'problem', problem)`

/** The progress of the sources that a process has begun to read, by their ids. */
export const progressOfSources = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly progress: SourceProgress }>`
    select source_id::text as id, ${sql.literal(progress)} as progress from rackwire_source
     where source_id = any (${ids.map(String)}::text[]::bigint[])`
  return new Map(rows.map((row) => [Number(row.id), row.progress]))
})

/** The reading of the source with the id. A gap names the types of its source, or its name where no type was read yet. */
export const sourceReading = Effect.fnUntraced(function* ({
  id,
  name
}: {
  readonly id: number
  readonly name: string
}) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly reading: SourceReading }>`
    select json_build_object(
             'progress', (
               select ${sql.literal(progress)}
                 from rackwire_source where source_id = ${`${id}`}::text::bigint),
             'gaps', coalesce((
               select json_agg(json_build_object('id', id, 'cause', cause, 'reason', reason,
                        'objectTypes', object_types, 'since', since, 'until', until, 'acknowledged', acknowledged))
                 from (select * from rackwire_gap
                        where cause = 'source'
                          and (starts_with(object_types[1], ${`${id}:`}::text)
                               or (object_types = '{}' and starts_with(reason, ${`source ${name}: `}::text)))
                        order by acknowledged is not null, id desc limit ${listedMax}) latest), '[]')) as reading`
  return row!.reading
})
