/**
 * Drops the indexes that an earlier version of Rackwire made and this one does not declare: every write would maintain
 * them for nothing.
 *
 * An index is dropped only if our migration made it: it is on a declared table, has a name by our rule and its
 * definition as its comment, and no constraint needs it. Unique indexes and those of partitioned tables stay.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inWords } from "../../telemetry/Telemetry.ts"
import type { Table } from "./Table.ts"

interface FoundIndex {
  readonly name: string
  readonly table: string
  readonly comment: string
}

/** Longest wait for the locks of one index. A dump keeps a lock on every table for its duration. */
const lockWait = "5s"

/** A definition as migrations note it; people's notes on an index of their own have another form. */
const definition = /^(using (gin|gist|brin) )?\(.*\)/s

/** The names of indexes that our migrations made and no table declares. Pure. */
export const formerIndexes = (
  tables: ReadonlyArray<Table>,
  found: ReadonlyArray<FoundIndex>
): ReadonlyArray<string> => {
  const declared = new Map(tables.map(({ name, indexes }) => [name, new Set(indexes.map((index) => index.name))]))
  return found.flatMap(({ name, table, comment }) => {
    const names = declared.get(table)
    const isOurs = name.startsWith(`${table}_`) && name.endsWith("_idx") && definition.test(comment)
    return names !== undefined && isOurs && !names.has(name) ? [name] : []
  })
}

/**
 * Drops them one by one, outside of a transaction, so that nobody waits for them; returns the statements that ran. The
 * next migration drops an index that could not be dropped in time: Postgres no longer uses it then.
 */
export const dropFormerIndexes = Effect.fnUntraced(function* (tables: ReadonlyArray<Table>) {
  const sql = yield* SqlClient.SqlClient
  const names = formerIndexes(tables, yield* foundIndexes)
  if (names.length === 0) return []
  const connection = yield* sql.reserve
  const run = (statement: string) => connection.execute(statement, [], undefined)
  yield* run(`set lock_timeout = '${lockWait}'`)
  const dropped: Array<string> = []
  for (const name of names) {
    const statement = `drop index concurrently if exists ${name}`
    yield* run(statement).pipe(
      Effect.tap(() => Effect.sync(() => dropped.push(statement))),
      Effect.catch((error) => Effect.logWarning(`The index ${name} is not needed and stays: ${inWords(error)}`))
    )
  }
  yield* run("reset lock_timeout")
  return dropped
}, Effect.scoped)

const foundIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<FoundIndex>`
    select i.relname::text as name, t.relname::text as "table", d.description as comment
      from pg_index x
      join pg_class i on i.oid = x.indexrelid and i.relkind = 'i' and not i.relispartition
      join pg_class t on t.oid = x.indrelid
      join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = i.oid and d.objsubid = 0
     where i.relnamespace = current_schema()::regnamespace and not x.indisunique
       and not exists (select from pg_depend p where p.objid = i.oid and p.deptype in ('i', 'e'))
     order by 1`
})
