/**
 * The objects that earlier runs wrote, each with the digest of its row in the source and its state here. A later run
 * compares both, so that it writes only what changed there, and never over what was changed here.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { type ObjectType, columnOf } from "../../inventory/ObjectType.ts"
import { literal } from "../../postgres/Literal.ts"
import type { Table } from "../../postgres/migrate/Table.ts"
import type { SourceRow } from "../source/Convert.ts"
import { type Prefer, type Step, decide } from "./Plan.ts"
import { type Selection, byUse, digestName } from "../source/Selection.ts"

export const movedTable: Table = {
  name: "rackwire_moved",
  daily: false,
  columns: [
    { name: "object_type", type: "text", nullable: false },
    { name: "object_id", type: "bigint", nullable: false },
    { name: "source", type: "text", nullable: false },
    // Null until the run has written everything; `refused` for rows that no object here has.
    { name: "state", type: "text", nullable: true }
  ],
  constraints: [{ name: "rackwire_moved_key", sql: "unique (object_type, object_id)" }],
  indexes: [],
  triggers: [],
  published: false
}

/** The state of rows that were refused. */
const refusedState = "refused"

/** Precedes the digest of an object whose references to later types are not written: the next run writes them. */
const unfinishedMark = "unfinished "

/** Precedes the digest of an object whose images were left out: a later run that has their files adds them. */
export const imagelessMark = "imageless "

/** Characters of a digest. */
const digestLength = 32

/** Whether each change here changes the time of the object. */
const hasTime = ({ type }: Selection): boolean => type.fields["last_updated"] !== undefined && type.kind !== "record"

/** SQL over `t`, a row of the type's table: the state of the object, which each change here changes. */
const stateOf = (selection: Selection): string => {
  const { type, fields } = selection
  if (hasTime(selection)) return `extract(epoch from t.${columnOf(type, "last_updated")})::text`
  // A login replaces the hash of a password.
  const columns = fields.flatMap(({ name, kind }) =>
    kind === "verbatim" || kind === "initial" || byUse.includes(name) ? [] : [`t.${columnOf(type, name)}`]
  )
  return `md5(row(${columns.join(", ")})::text)`
}

/** SQL over `t`, a row of the table of the type `$1`: whether a run wrote it. */
export const wasWritten = `exists (
  select from rackwire_moved m where m.object_type = $1 and m.object_id = t.id and m.state is distinct from '${refusedState}')`

/** Whether an earlier run wrote anything. */
export const hasMoved = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly some: boolean
  }>`select exists (select from rackwire_moved where state is distinct from ${refusedState}) as some`
  return row!.some
})

interface RowDigest {
  readonly id: number
  /** The digest of the row in the source; undefined if it has none any more. */
  readonly now: string | undefined
}

/** Both sides of an object. */
export interface MovedObject extends RowDigest {
  /** The digest at the last run that wrote the object; undefined if none did. */
  readonly last: string | undefined
  /** Whether the last run refused this row. */
  readonly wasRefused: boolean
  readonly isHere: boolean
  readonly isChangedHere: boolean
  /** Whether a run that ended early left references to later types out. */
  readonly isUnfinished: boolean
  /** Whether the last run that wrote it left images out. */
  readonly isImageless: boolean
}

interface KnownRow {
  readonly id: number
  readonly source: string
  readonly isUnfinished: boolean
  readonly isImageless: boolean
  readonly isRefused: boolean
}

/** Both sides of these objects. With a lock, objects whose rows are as at the last run are not read. */
export const knownOf = Effect.fnUntraced(function* (
  selection: Selection,
  objects: ReadonlyArray<RowDigest>,
  lock: "" | "for update of t" = ""
) {
  const sql = yield* SqlClient.SqlClient
  const { id: name, table } = selection.type
  const known = yield* sql<KnownRow>`
    select object_id::float8 as id, right(source, ${digestLength}::int) as source,
           starts_with(source, ${unfinishedMark}) as "isUnfinished",
           starts_with(source, ${imagelessMark}) as "isImageless", state is not distinct from ${refusedState} as "isRefused"
      from rackwire_moved
     where object_type = ${name} and object_id = any (${objects.map(({ id }) => `${id}`)}::text[]::bigint[])`
  const last = new Map(known.flatMap(({ id, source, isRefused }) => (isRefused ? [] : [[id, source]])))
  const refused = new Map(known.flatMap(({ id, source, isRefused }) => (isRefused ? [[id, source]] : [])))
  const unfinished = new Set(known.flatMap(({ id, isUnfinished }) => (isUnfinished ? [id] : [])))
  const imageless = new Set(known.flatMap(({ id, isImageless }) => (isImageless ? [id] : [])))
  const changed = objects.filter(({ id, now }) => lock === "" || now === undefined || last.get(id) !== now)
  const here = yield* sql.unsafe<{ readonly id: number; readonly isChanged: boolean }>(
    `select t.id::float8 as id, m.state is not null and ${stateOf(selection)} is distinct from m.state as "isChanged"
       from ${table} t left join rackwire_moved m on m.object_type = $1 and m.object_id = t.id
      where t.id = any ($2::text[]::bigint[]) order by t.id ${lock}`,
    [name, changed.map(({ id }) => `${id}`)]
  )
  const isChanged = new Map(here.map(({ id, isChanged }) => [id, isChanged]))
  return objects.map(({ id, now }): MovedObject => ({
    ...{ id, now, last: last.get(id), wasRefused: now !== undefined && refused.get(id) === now },
    ...{ isHere: isChanged.has(id), isChangedHere: isChanged.get(id) === true, isUnfinished: unfinished.has(id) },
    isImageless: imageless.has(id)
  }))
})

/** The step of each of these objects, and which are unfinished. Objects that are written stay locked in the transaction. */
export const stepsOf = Effect.fnUntraced(function* (
  selection: Selection,
  objects: ReadonlyArray<RowDigest>,
  prefer: Prefer
) {
  const known = yield* knownOf(selection, objects, "for update of t")
  return {
    steps: new Map(known.map((each): [number, Step] => [each.id, decide({ ...each, prefer })])),
    unfinished: new Set(known.flatMap(({ id, isUnfinished }) => (isUnfinished ? [id] : []))),
    imageless: new Set(known.flatMap(({ id, isImageless }) => (isImageless ? [id] : [])))
  }
})

/** The digest of a row of the source. */
export const digestOf = (row: SourceRow): string => String(row[digestName])

/** Keeps the digests of rows that were refused, so that a comparison does not take them for new ones. */
export const keepRefused = Effect.fnUntraced(function* ({ type }: Selection, rows: ReadonlyArray<SourceRow>) {
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into rackwire_moved (object_type, object_id, source, state)
    select ${type.id}, i.*, ${refusedState}
      from unnest(${rows.map(({ id }) => `${id}`)}::text[]::bigint[], ${rows.map(digestOf)}::text[]) i
    on conflict (object_type, object_id) do update set source = excluded.source, state = excluded.state
     where rackwire_moved.state = ${refusedState}`
})

/** Keeps the digests of rows that were written, or whose objects here count, and their states as far as they are final. */
export const keepDigests = Effect.fnUntraced(function* (
  selection: Selection,
  rows: ReadonlyArray<SourceRow>,
  digest = digestOf
) {
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const { id, table } = selection.type
  const state = hasTime(selection) ? stateOf(selection) : "null"
  yield* sql.unsafe(
    `insert into rackwire_moved (object_type, object_id, source, state)
     select $1, i.id, i.source, ${state}
       from unnest($2::text[]::bigint[], $3::text[]) i (id, source) left join ${table} t on t.id = i.id
     on conflict (object_type, object_id) do update set source = excluded.source, state = excluded.state
      where rackwire_moved.source <> excluded.source or rackwire_moved.state = '${refusedState}'`,
    [id, rows.map((row) => `${row.id}`), rows.map(digest)]
  )
})

export const unfinishedDigestOf = (row: SourceRow): string => `${unfinishedMark}${digestOf(row)}`

export const imagelessDigestOf = (row: SourceRow): string => `${imagelessMark}${digestOf(row)}`

/** Takes the mark from objects whose references are written, or images. */
export const finishDigests = Effect.fnUntraced(function* (
  { id }: ObjectType,
  ids: ReadonlyArray<number>,
  mark = unfinishedMark
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update rackwire_moved set source = right(source, ${digestLength}::int)
     where object_type = ${id} and object_id = any (${asTexts(ids)}::text[]::bigint[])
       and starts_with(source, ${mark})`
})

/** Forgets objects that are on neither side. */
export const forgetDigests = Effect.fnUntraced(function* ({ id }: ObjectType, ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from rackwire_moved where object_type = ${id} and object_id = any (${asTexts(ids)}::text[]::bigint[])`
})

/** Keeps the states of objects without a time, when all their references are written. */
export const keepStates = Effect.fnUntraced(function* (selection: Selection) {
  if (hasTime(selection)) return
  const sql = yield* SqlClient.SqlClient
  const { id, table } = selection.type
  yield* eachId(
    movedTable.name,
    { column: "object_id", where: `object_type = ${literal(id)} and state is null` },
    (ids) =>
      sql.unsafe(
        `update rackwire_moved m set state = ${stateOf(selection)}
           from ${table} t where m.object_type = $1 and m.object_id = any ($2::text[]::bigint[]) and t.id = m.object_id`,
        [id, asTexts(ids)]
      )
  )
})

/** Passes the ids that a table has, page by page; `where` is SQL over the table. */
export const eachId = <E, R>(
  table: string,
  { column = "id", where = "true" }: { readonly column?: string; readonly where?: string },
  use: (ids: ReadonlyArray<number>) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let after = 0
    while (true) {
      const rows = yield* sql.unsafe<{ readonly id: number }>(
        `select ${column}::float8 as id from ${table} where ${column} > $1::bigint and ${where} order by ${column} limit 1000`,
        [after]
      )
      if (rows.length === 0) return
      after = rows.at(-1)!.id
      yield* use(rows.map(({ id }) => id))
    }
  })

/** Passes the ids of all objects of a type that runs wrote, page by page. */
export const eachMoved = <E, R>({ id }: ObjectType, use: (ids: ReadonlyArray<number>) => Effect.Effect<void, E, R>) =>
  eachId(
    movedTable.name,
    { column: "object_id", where: `object_type = ${literal(id)} and state is distinct from '${refusedState}'` },
    use
  )
