/** The change table of a NetBox as SQL reads it: its name, its content types, and rows of some transactions, folded. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type ChangeRow, type FoldedChange, folded } from "./ChangeRow.ts"

export interface NetBoxTable {
  /** `core_objectchange`, or `extras_objectchange` before 4.1. */
  readonly name: string
  readonly hasMessage: boolean
  /** `dcim.site` by the id of the content type. */
  readonly contentTypes: ReadonlyMap<number, string>
}

/** Reads which table it is; undefined if the database has none. */
export const findTable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [table] = yield* sql.unsafe<{ readonly name: string; readonly message: boolean }>(
    `select c.relname::text as name,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'message' and not a.attisdropped) as message
       from pg_class c where c.oid in (to_regclass('core_objectchange'), to_regclass('extras_objectchange'))
      order by c.relname limit 1`
  )
  if (table === undefined) return undefined
  const types = yield* contentTypesOf(sql)
  return { name: table.name, hasMessage: table.message, contentTypes: types } satisfies NetBoxTable
})

export const contentTypesOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.unsafe<{ readonly id: number; readonly type: string }>(
      `select id::int as id, app_label || '.' || model as type from django_content_type`
    ),
    (rows): ReadonlyMap<number, string> => new Map(rows.map(({ id, type }) => [id, type]))
  )

interface FoundChange {
  /** Whether a state is left out, because it is too long. */
  readonly isCut: boolean
  readonly first: Pick<ChangeRow, "action" | "before">
  readonly last: ChangeRow
  readonly ids: ReadonlyArray<string>
}

/** SQL: the time of a row, ISO 8601. */
const timeOf = (alias: string) => `to_char(${alias}.time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`

/** Longest state that is read, bytes of JSON text: an event has three, and the driver takes messages of 64 MiB. */
const stateBytesMax = 5 * 1024 * 1024

const isLong = (state: string) => `coalesce(octet_length(${state}::text) > ${stateBytesMax}, false)`

/** SQL: a state as text, unless it is too long. */
const textOf = (state: string) => `case when not ${isLong(state)} then ${state}::text end`

/**
 * SQL: the changes of the rows that meet a condition over `c`, one per transaction and object, in the order of their last
 * rows. The rows of a transaction have one request id. They may have several `xmin`: of savepoints, of later updates, or
 * of a dump that was restored.
 */
const foldedSql = ({ name, hasMessage }: NetBoxTable, where: string): string => `
  select json_build_object('ids', s.ids, 'isCut', ${isLong("f.prechange_data")} or ${isLong("l.postchange_data")},
           'first', json_build_object('action', f.action, 'before', ${textOf("f.prechange_data")}),
           'last', json_build_object('id', l.id::text, 'action', l.action, 'contentType', l.changed_object_type_id,
             'objectId', l.changed_object_id::text, 'display', l.object_repr, 'username', l.user_name,
             'requestId', l.request_id::text, 'message', ${hasMessage ? "l.message" : "''"}, 'time', ${timeOf("l")},
             'before', null, 'after', ${textOf("l.postchange_data")})) as found
    from (select min(c.id) as first, max(c.id) as last, array_agg(c.id::text order by c.id) as ids
            from ${name} c where ${where}
           group by c.request_id, c.changed_object_type_id, c.changed_object_id order by 2) s
    join ${name} f on f.id = s.first join ${name} l on l.id = s.last order by l.id`

/** Changes that are fetched at once: each may have two long states. */
const fetchedChanges = 25

/** Most changes, and characters, of a page. */
const pageChanges = 500
const pageCharsMax = 8 * 1024 * 1024

type ChangeRows = ReadonlyArray<{ readonly found: FoundChange }>

/** Changes, and the ids of all rows that were read for them. */
interface ChangePage {
  readonly changes: ReadonlyArray<FoldedChange>
  readonly ids: ReadonlyArray<string>
  /** Whether it is the last page. */
  readonly isWhole: boolean
}

const charsOf = ({ first, last }: FoundChange): number => (first.before?.length ?? 0) + (last.after?.length ?? 0)

/** Opens a cursor over changes; returns how to fetch the next ones, of which there are none at the end. */
const cursorOver = (
  sql: SqlClient.SqlClient,
  table: NetBoxTable,
  where: string,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<Effect.Effect<ChangeRows, SqlError.SqlError>, SqlError.SqlError> =>
  Effect.as(
    sql.unsafe(`declare changes no scroll cursor for ${foldedSql(table, where)}`, parameters),
    sql.unsafe<{ readonly found: FoundChange }>(`fetch ${fetchedChanges} from changes`)
  )

/** The next changes of a cursor. */
const nextPage = Effect.fnUntraced(function* (fetched: Effect.Effect<ChangeRows, SqlError.SqlError>) {
  const changes: Array<FoldedChange> = []
  const ids: Array<string> = []
  let [count, chars, isWhole] = [0, 0, false]
  while (!isWhole && count < pageChanges && chars < pageCharsMax) {
    const rows = yield* fetched
    for (const { found } of rows) {
      const all = folded(found.first, found.last, found.ids)
      changes.push(...all.map((change) => (found.isCut ? { ...change, isCut: true } : change)))
      // Also of rows of which nothing is left.
      ids.push(...found.ids)
      chars += charsOf(found)
    }
    count += rows.length
    isWhole = rows.length < fetchedChanges
  }
  return { changes, ids, isWhole } satisfies ChangePage
})

/** Passes the changes of these rows, page by page, within a transaction of `sql`. */
export const eachChange = <E, R>(
  sql: SqlClient.SqlClient,
  table: NetBoxTable,
  ids: ReadonlyArray<string>,
  use: (page: ChangePage) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, E | SqlError.SqlError, R> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const fetched = yield* cursorOver(sql, table, "c.id = any ($1::text[]::bigint[])", [ids])
      let page: ChangePage
      do {
        page = yield* nextPage(fetched)
        yield* use(page)
      } while (!page.isWhole)
    })
  )

/**
 * The next changes behind an id that are not among the read ones, and the moment up to which everything is read when all
 * of them are. One snapshot shows both.
 */
export const changesBehind = (
  sql: SqlClient.SqlClient,
  table: NetBoxTable,
  settledId: string,
  read: ReadonlyArray<string>
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe("set transaction isolation level repeatable read, read only")
      const next = yield* snapshotMark(sql, table)
      const where = `c.id > $1::text::bigint and not exists (select from unnest($2::text[]) u (id) where u.id::bigint = c.id)`
      const fetched = yield* cursorOver(sql, table, where, [settledId, read])
      return { ...(yield* nextPage(fetched)), next }
    })
  )

/** A moment of the source. */
export interface SourceMoment {
  /** The oldest transaction that is open, and the end of all numbers: 64 bits. */
  readonly xid: string
  readonly top: string
  /** The highest id of a row. */
  readonly lastId: string
  /** The end of the WAL, taken after the snapshot. */
  readonly lsn: string
}

export const snapshotMark = (sql: SqlClient.SqlClient, { name }: NetBoxTable) =>
  Effect.map(
    sql.unsafe<{ readonly moment: SourceMoment }>(
      `select json_build_object('xid', pg_snapshot_xmin(s)::text, 'top', pg_snapshot_xmax(s)::text,
                'lastId', coalesce((select max(id) from ${name}), 0)::text,
                'lsn', case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end::text) as moment
         from (select pg_current_snapshot() as s) now`
    ),
    ([row]) => row!.moment
  )
