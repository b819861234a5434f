/**
 * The change log of NetBox as history: changes in the change log here that are no events (event/Position.ts). Each keeps
 * its id, time, user, request and both states; a later run adds the changes since.
 *
 * It is written after the objects, a page in a transaction: a new day locks the change log until the commit, and capture
 * writes there. Changes that the change log would drop as too old (CHANGELOG_RETENTION) are counted.
 */
import { Clock, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Config.ts"
import { changeLogDays } from "../capture/ChangeLog.ts"
import { actionOf } from "../event/Kind.ts"
import { historyEpoch, inEpoch } from "../event/Position.ts"
import { changeType } from "../inventory/read/Changes.ts"
import { continueIds } from "./Load.ts"
import { emptyReport, secret } from "./Report.ts"
import { type Catalogue, identifier } from "./source/Catalogue.ts"
import type { Snapshot } from "./source/Snapshot.ts"
import type { Source } from "./source/Source.ts"
import { type Transfer, isKnown } from "./Transfer.ts"

/** The change log of a source. */
interface SourceLog {
  readonly table: string
  /** SQL over `t`: the changes of object types that exist here, and of others, both within the retention. */
  readonly where: string
  readonly elsewhere: string
  readonly older: string
  /** Days that the change log keeps. */
  readonly days: number
  /** The first day that it keeps, `2026-11-20`. */
  readonly since: string
}

const names = ["core_objectchange", "extras_objectchange"]

/** The change log of the source; undefined if the role may not read it. */
const sourceLog = Effect.fnUntraced(function* ({ tables, contentTypes }: Catalogue) {
  const table = names.find((name) => tables.has(name))
  if (table === undefined || !tables.get(table)!.isReadable) return undefined
  const { changelogRetention } = yield* Settings
  const days = Math.ceil(Duration.toDays(changelogRetention))
  const today = yield* Clock.currentTimeMillis
  const since = new Date(today - Duration.toMillis(Duration.days(days))).toISOString().slice(0, 10)
  const types = [...contentTypes].flatMap(([id, type]) => (isKnown(type) ? [id] : []))
  const isRecent = `t.time >= '${since}T00:00Z'`
  const isOfType = `t.changed_object_type_id = any ('{${types.join(",")}}'::int[])`
  return {
    ...{ table, days, since, older: `not (${isRecent})` },
    where: `${isRecent} and ${isOfType}`,
    elsewhere: `${isRecent} and not (${isOfType})`
  } satisfies SourceLog
})

/** SQL: a state as text, without credentials, which NetBox logs as they are. */
const stateOf = (column: string): string => `(
  select jsonb_object_agg(e.key, case when e.key ~ '${secret.source}' and e.value not in ('null', '""') then '"***"' else e.value end)
    from jsonb_each(case jsonb_typeof(t.${column}) when 'object' then t.${column} end) e)::text`

/** SQL: a time as text, in UTC. */
const utc = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The columns of a change, as SQL over `t`; the type is a number. */
const columns = `t.id, ${utc("t.time")} as "time", t.user_name,
  t.request_id, t.action, t.changed_object_type_id as type, t.changed_object_id as object, t.object_repr,
  ${stateOf("prechange_data")} as prechange, ${stateOf("postchange_data")} as postchange`

interface SourceChange {
  readonly id: number
  readonly time: string
  readonly action: string
  readonly type: number | string
  readonly object: number
  readonly prechange: string | null
  readonly postchange: string | null
}

/** Most changes of a page, and most bytes of their states; a single change may be larger. */
const pageRows = 1000
const pageBytes = 8 * 1024 * 1024

const pageStatement = ({ table, where }: SourceLog): string => `
  select row_to_json(p) as row from (
    select s.* from (
      select q.*, sum(size) over (order by id) - size as before from (
        select c.*, coalesce(octet_length(prechange), 0) + coalesce(octet_length(postchange), 0) as size from (
          select ${columns} from ${identifier(table)} t where t.id > $1::bigint and ${where} order by t.id limit ${pageRows}
        ) c) q) s
     where before < ${pageBytes} order by id) p`

/** Moves the history, and returns its report; undefined if the source has none that can be read. */
export const moveHistory = Effect.fnUntraced(function* (
  { snapshot, catalogue }: Source,
  { isDryRun, progress, note }: Pick<Transfer, "progress" | "note"> & { readonly isDryRun: boolean }
) {
  const log = yield* sourceLog(catalogue)
  if (log === undefined) return undefined
  const report = emptyReport({ type: changeType, table: log.table })
  const [known, elsewhere] = [yield* snapshot.count(log.table, log.where), yield* noteHomeless(snapshot, log, note)]
  report.rows = known + elsewhere
  report.homeless = elsewhere
  const history = { older: yield* snapshot.count(log.table, log.older), days: log.days }
  const here = yield* historyHere(log)
  report.unchanged = Math.min(known, here.count)
  report.created = isDryRun ? known - report.unchanged : 0
  if (isDryRun) return { report, history }
  const last = yield* snapshot.lastId(log.table)
  if (last !== undefined) yield* continueIds(changeType, last)
  const isWhole = here.count === (yield* snapshot.count(log.table, `t.id <= ${here.last} and ${log.where}`))
  let after = isWhole ? here.last : 0
  while (true) {
    const rows = yield* snapshot.rows<SourceChange>(pageStatement(log), [after])
    if (rows.length === 0) break
    after = rows.at(-1)!.id
    const { sound, refused } = sorted(rows, catalogue, yield* Clock.currentTimeMillis)
    for (const finding of refused) note({ kind: "refused", table: log.table, ...finding })
    report.refused += refused.length
    report.created += yield* writeChanges(sound)
    yield* progress(changeType.id, report.unchanged + report.created, known)
  }
  return { report, history }
})

/** The changes that can be written, with the names of their types, and the others with the reason. */
const sorted = (rows: ReadonlyArray<SourceChange>, { contentTypes }: Catalogue, now: number) => {
  const sound: Array<SourceChange & { readonly position: string }> = []
  const refused: Array<{ readonly id: number; readonly reason: string }> = []
  // The clocks of both servers may differ.
  const limit = new Date(now + Duration.toMillis(Duration.days(1))).toISOString()
  for (const row of rows) {
    const { id, action, time } = row
    if (!Object.values<string>(actionOf).includes(action)) refused.push({ id, reason: `The action is ${action}.` })
    else if (time > limit) refused.push({ id, reason: `The time is ${time}, which is in the future.` })
    else sound.push({ ...row, type: contentTypes.get(Number(row.type))!, position: `${positionOf(id)}` })
  }
  return { sound, refused }
}

const positionOf = (id: number): bigint => inEpoch(historyEpoch, BigInt(id))

/** How many changes of NetBox are here within the retention, and the id there of the last one. */
const historyHere = Effect.fnUntraced(function* ({ since }: SourceLog) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly count: number; readonly last: number }>(
    `select count(*)::float8 as count, coalesce(max(position) - $2::bigint, 0)::float8 as last
       from extras_objectchange where position < 0 and time >= $1::date at time zone 'utc'`,
    [since, `${positionOf(0)}`]
  )
  return row!
})

/** An id that a change here has is taken: its change of NetBox gets another one. */
const insert = `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) r (id bigint, "time" timestamptz, user_name text, request_id uuid, action text,
      type text, object bigint, object_repr text, position bigint, prechange text, postchange text)),
  taken as (select c.id from extras_objectchange c where c.id = any (array(select id from given))),
  written as (
    insert into extras_objectchange (id, time, user_name, request_id, action, changed_object_type, changed_object_id,
           object_repr, position, idx, request, message, data, prechange_data, postchange_data)
    select case when g.id in (select id from taken) then nextval(pg_get_serial_sequence('extras_objectchange', 'id')) else g.id end,
           g.time, g.user_name, g.request_id, g.action, g.type, coalesce(n.target_id, g.object), g.object_repr, g.position, 0, 'null', '', 'null',
           coalesce(g.prechange, 'null')::json, coalesce(g.postchange, 'null')::json
      from given g left join rackwire_renumbered n on n.object_type = g.type and n.source_id = g.object order by g.id
    on conflict (position, idx, time) do nothing returning 1)
  select count(*)::float8 as count from written`

/** Writes a page of changes; returns how many were not there. */
const writeChanges = Effect.fnUntraced(function* (rows: ReadonlyArray<SourceChange>) {
  if (rows.length === 0) return 0
  const sql = yield* SqlClient.SqlClient
  const written = sql.unsafe<{ readonly count: number }>(insert, [JSON.stringify(rows)])
  const times = rows.map(({ time }) => time)
  const [row] = yield* changeLogDays.write(times, written)
  return row!.count
})

/** Notes the changes of objects that have no type here; returns their number. */
const noteHomeless = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { table, elsewhere }: SourceLog,
  note: Transfer["note"]
) {
  let count = 0
  const statement = `select row_to_json(r) as row from (select ${columns} from ${identifier(table)} t where ${elsewhere} order by t.id) r`
  yield* snapshot.pages(statement, (page) =>
    Effect.sync(() => {
      count += page.length
      for (const { id, ...values } of page) note({ kind: "homeless", table, id, values })
    })
  )
  return count
})

/** SQL: the digest of a change, of columns by the names that `columns` gives them, and the time as text. */
const digest = `md5(concat_ws('|', "time", user_name, request_id, action, object, object_repr,
  coalesce(prechange, 'null'), coalesce(postchange, 'null')))`

const changesHere = `
  select id::float8 as id, type, ${digest} as digest from (
    select c.position - $2::bigint as id, ${utc("c.time")} as "time",
           c.user_name, c.request_id, c.action, c.changed_object_type as type,
           coalesce(n.source_id, c.changed_object_id) as object, c.object_repr, c.prechange_data::text as prechange, c.postchange_data::text as postchange
      from extras_objectchange c
      left join rackwire_renumbered n on n.object_type = c.changed_object_type and n.target_id = c.changed_object_id
     where c.position = any (array(select e + $2::bigint from unnest($1::text[]::bigint[]) e))) t`

interface ChangeDigest {
  readonly id: number
  readonly digest: string
}

/**
 * Compares the history, and passes the ids of each page and of those which are missing here, or differ. Changes that
 * only the log here has are no difference: NetBox has dropped them as too old.
 */
export const compareHistory = Effect.fnUntraced(function* <E, R>(
  { snapshot, catalogue }: Source,
  use: (page: HistoryPage) => Effect.Effect<unknown, E, R>
) {
  const log = yield* sourceLog(catalogue)
  if (log === undefined) return
  const sql = yield* SqlClient.SqlClient
  const { last } = yield* historyHere(log)
  const of = yield* snapshot.count(log.table, log.where)
  const statement = `select row_to_json(r) as row from (select id, type, ${digest} as digest from (
    select ${columns} from ${identifier(log.table)} t where ${log.where} order by t.id) q) r`
  yield* snapshot.pages(statement, (page) =>
    Effect.gen(function* () {
      const rows = page as unknown as ReadonlyArray<ChangeDigest & { readonly type: number }>
      const found = yield* sql.unsafe<ChangeDigest & { readonly type: string }>(changesHere, [
        rows.map(({ id }) => `${id}`),
        `${positionOf(0)}`
      ])
      const here = new Map(found.map((each) => [each.id, each]))
      const missing = rows.filter(({ id }) => !here.has(id)).map(({ id }) => id)
      const isEqual = ({ id, type, digest }: (typeof rows)[number]) =>
        here.get(id)?.digest === digest && here.get(id)?.type === catalogue.contentTypes.get(type)
      const differing = rows.filter((row) => here.has(row.id) && !isEqual(row)).map(({ id }) => id)
      yield* use({ rows: rows.length, of, missing, differing, last })
    })
  )
})

interface HistoryPage {
  readonly rows: number
  /** All changes that are compared. */
  readonly of: number
  readonly missing: ReadonlyArray<number>
  readonly differing: ReadonlyArray<number>
  /** The last change that was moved. */
  readonly last: number
}
