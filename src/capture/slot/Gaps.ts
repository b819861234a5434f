/**
 * Gaps: spans of the WAL in which changes were not captured, or not whole. Each is a row with its begin, its end and its
 * cause, and stays an alarm until somebody acknowledges it.
 *
 * Nobody may rely on events of a gap. Changes that rows still show are queued by a replay of the gap (Refill.ts).
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { lsnBits } from "../../event/Position.ts"
import type { Table } from "../../postgres/migrate/Table.ts"

/** Runs a statement; `Row` is the type of its rows. */
export type Run = <Row extends object>(
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Runs statements on any connection of the pool. */
export const onPool = Effect.map(
  SqlClient.SqlClient,
  (sql): Run =>
    (statement, parameters = []) =>
      sql.unsafe(statement, parameters)
)

export const gapTable: Table = {
  name: "rackwire_gap",
  daily: false,
  columns: [
    { name: "cause", type: "text", nullable: false },
    { name: "reason", type: "text", nullable: false },
    // Ids of the object types concerned; null for all.
    { name: "object_types", type: "text[]", nullable: true },
    // Times and positions of the begin and the end; no end as long as the gap is open.
    { name: "since", type: "timestamp with time zone", nullable: false },
    { name: "until", type: "timestamp with time zone", nullable: true },
    { name: "from_position", type: "bigint", nullable: false },
    { name: "to_position", type: "bigint", nullable: true },
    { name: "noted", type: "timestamp with time zone", nullable: false, default: "now()" },
    { name: "acknowledged", type: "timestamp with time zone", nullable: true }
  ],
  constraints: [{ name: "rackwire_gap_key", sql: "unique (cause, from_position, reason)" }],
  indexes: [],
  triggers: [],
  published: false
}

const { name: table } = gapTable

/**
 * - `slot`: the replication slot was missing, lost or new.
 * - `publication`: the publication was changed.
 * - `identity`: a table had lost its replica identity full.
 * - `truncate`: a table was truncated.
 */
type Cause = "slot" | "publication" | "identity" | "truncate"

interface GapNote {
  readonly cause: Cause
  readonly reason: string
  /** Ids of the object types; undefined for all. */
  readonly types?: ReadonlyArray<string> | undefined
}

/** SQL of a position: an LSN in the epoch of a row of `rackwire_epoch`. */
const positionOf = (lsn: string) => `((number << ${lsnBits}) | pg_wal_lsn_diff(${lsn}, '0/0')::bigint)`

/** SQL of a gap in words. */
const sentence = `'gap ' || id || ': ' || reason`

interface Sentence {
  readonly what: string
}

const alarm = (rows: ReadonlyArray<Sentence>) =>
  Effect.forEach(rows, ({ what }) => Effect.logError(`capture: changes may not have been captured: ${what}`), {
    discard: true
  })

/**
 * Notes a gap; it stays open until `closeGaps`. It begins with what capture has not read (`slot`), or where the
 * publication was verified last. Differences that are found while a gap is open have one cause, such as a restored
 * backup: the open gap is widened to them, and gets their reasons. Notes nothing if nothing was ever captured. May be
 * repeated.
 */
export const openGap = Effect.fnUntraced(function* (run: Run, { cause, reason, types }: GapNote) {
  const begin = cause === "slot" ? "captured" : "verified"
  yield* alarm(
    yield* run<Sentence>(
      `with begun as (
         select coalesce(${begin}, began) as since, ${positionOf(`coalesce(${begin}_lsn, '0/0')`)} as from_position
           from rackwire_epoch order by number desc limit 1),
       open as (select max(id) as id from ${table} where until is null and acknowledged is null),
       widened as (
         update ${table} g
            set reason = g.reason || '; ' || $2, since = least(g.since, begun.since),
                from_position = least(g.from_position, begun.from_position),
                object_types = case when g.object_types is not null and $3::text[] is not null
                                    then array(select distinct unnest(g.object_types || $3::text[]) order by 1) end
           from begun, open where g.id = open.id and strpos(g.reason, $2) = 0
         returning g.id, g.reason),
       made as (
         insert into ${table} (cause, reason, object_types, since, from_position)
         select $1, $2, $3::text[], since, from_position from begun where (select id from open) is null
         on conflict (cause, from_position, reason) do nothing returning id, reason)
       select ${sentence} as what from (select * from widened union all select * from made) noted`,
      [cause, reason, types === undefined ? null : types]
    )
  )
})

/** Opens the last gap of this cause again, unless somebody has acknowledged it: a loss that follows has the same cause. */
export const reopenGap = (run: Run, cause: Cause) =>
  run(
    `update ${table} set until = null, to_position = null
      where id = (select id from ${table} where cause = $1 and acknowledged is null and to_position is not null
                   order by to_position desc limit 1)`,
    [cause]
  )

/** Ends the open gaps of these causes at the end of the WAL. */
export const closeGaps = (run: Run, causes: ReadonlyArray<Cause>) =>
  run(
    `update ${table} set until = now(), to_position = ${positionOf("pg_current_wal_insert_lsn()")}
       from (select number from rackwire_epoch order by number desc limit 1) epoch
      where until is null and cause = any($1::text[])`,
    [causes]
  )

/** Notes that tables were truncated at this position. May be repeated. */
export const noteTruncate = Effect.fnUntraced(function* (
  types: ReadonlyArray<string>,
  { position, timestamp }: { readonly position: bigint; readonly timestamp: string }
) {
  const run = yield* onPool
  yield* alarm(
    yield* run<Sentence>(
      `insert into ${table} (cause, reason, object_types, since, until, from_position, to_position)
       values ('truncate', $1, $2::text[], $3::timestamptz, $3::timestamptz, $4::bigint, $4::bigint)
       on conflict (cause, from_position, reason) do nothing returning ${sentence} as what`,
      [`${types.join(", ")} truncated: no webhook heard of the deletions`, types, timestamp, `${position}`]
    )
  )
})

/** A gap that nobody has acknowledged. */
interface Gap {
  readonly id: number
  /** Its id, from, to and reason. */
  readonly sentence: string
  /** When it began, milliseconds since 1970. */
  readonly since: number
  /** Whether it has an end: changes are captured again. */
  readonly isOver: boolean
}

/** Most gaps that are listed. */
const listedMax = 100

/** The gaps that nobody has acknowledged, the oldest first. */
export const unacknowledgedGaps = Effect.gen(function* () {
  const run = yield* onPool
  const rows = yield* run<{ readonly gap: Gap }>(
    `select json_build_object('id', id, 'sentence', id || ': from ' || to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' to '
              || coalesce(to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'now') || ', ' || reason,
              'since', (extract(epoch from since) * 1000)::float8, 'isOver', until is not null) as gap
       from ${table} where acknowledged is null order by id limit ${listedMax}`
  )
  return rows.map(({ gap }) => gap)
})

/** The alarm about gaps that nobody has acknowledged, with the sentence of the latest one. */
export const gapsSentence = (count: number, latest: string): string =>
  `${count === 1 ? "a gap" : `${count} gaps`} in the captured changes, not acknowledged: ${latest}`

interface Span {
  /** Ids of the object types; null for all. */
  readonly types: ReadonlyArray<string> | null
  readonly since: string
  /** Null as long as it is open. */
  readonly until: string | null
}

/** The gap with this id; undefined if there is none. */
export const gapById = Effect.fnUntraced(function* (id: number) {
  const run = yield* onPool
  const [found] = yield* run<{ readonly span: Span }>(
    `select json_build_object('types', object_types, 'since', since::text, 'until', until::text) as span
       from ${table} where id = $1::bigint`,
    [id]
  )
  return found?.span
})
