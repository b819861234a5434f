/**
 * Migration: brings the database to the declarations, at every start.
 *
 * It only adds: tables, columns that are nullable or have a default, constraints, indexes, triggers and choices. A
 * declaration that would lose or refuse existing data stops the start, and the message names the column; so does a
 * database that a newer version has migrated (DatabaseVersion.ts). Nothing has changed then: a migration is one
 * transaction, and only one process migrates at a time. A start that finds nothing to change writes nothing. Indexes of
 * earlier versions that nothing needs are dropped after it (FormerIndexes.ts).
 */
import { Effect, Option, Schema } from "effect"
import { chunksOf } from "effect/Array"
import { SqlClient, type SqlError } from "effect/sql"
import { version } from "../../Config.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import { collationStatements, naturalOrder } from "./Collation.ts"
import { type FoundColumn, plan } from "./Migration.ts"
import { type Table, extensions } from "./Table.ts"
import { databaseVersionTable, migratedVersions, newerProblem, noteVersion } from "./DatabaseVersion.ts"
import { dropFormerIndexes } from "./FormerIndexes.ts"
import { makeFunctions } from "./Functions.ts"

class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  message: Schema.String
}) {}

/** Locked while migrating, in the name space of advisory locks. */
const lockKey = 7_225_811

/** The database as it is declared: statements that create or replace functions, and tables. */
interface Declaration {
  readonly functions: ReadonlyArray<string>
  readonly tables: ReadonlyArray<Table>
}

const tablesOf = (declared: Declaration): ReadonlyArray<Table> => [...declared.tables, databaseVersionTable]

/** Migrates and returns the statements that ran. */
export const migrate = (
  declared: Declaration
): Effect.Effect<ReadonlyArray<string>, MigrationRefused | SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const statements = yield* migrateTables(declared)
    return [...statements, ...(yield* dropFormerIndexes(tablesOf(declared)))]
  })

const migrateTables = (
  declared: Declaration
): Effect.Effect<ReadonlyArray<string>, MigrationRefused | SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select pg_advisory_xact_lock(${lockKey})::text`
    const migrated = yield* migratedVersions
    const newer = newerProblem(migrated, version)
    if (newer !== undefined) return yield* new MigrationRefused({ message: newer })
    const noted = migrated.find((each) => each.version === version)?.functions ?? undefined
    const functions = yield* makeFunctions(declared.functions, noted)
    const collated = yield* makeCollation
    const columns = yield* foundColumns
    const definitions = yield* foundDefinitions
    const extensions = yield* madeExtensions
    const tables = tablesOf(declared)
    const planned = plan(tables, { columns, definitions, extensions })
    if ("refused" in planned) return yield* new MigrationRefused({ message: planned.refused })
    for (const statements of chunksOf(planned.statements, statementsAtOnce)) {
      yield* sql
        .unsafe(runAll(statements))
        .pipe(
          Effect.mapError((error) =>
            error.reason._tag === "ConnectionError" ? error : new MigrationRefused({ message: inWords(error) })
          )
        )
    }
    if (functions !== noted) yield* noteVersion(version, functions)
    return [...collated, ...planned.statements]
  }).pipe(inTransaction)

/** Statements per round trip. A first start runs thousands: a round trip for each would take longer than executing them. */
const statementsAtOnce = 500

/** One `do` statement that executes all statements. Its error message begins with the statement that failed. */
const runAll = (statements: ReadonlyArray<string>): string => `do $migration$
  declare
    statement text;
    detail text;
  begin
    foreach statement in array array[${statements.map((each) => `'${each.replaceAll("'", "''")}'`).join(", ")}] loop
      execute statement;
    end loop;
  exception when others then
    get stacked diagnostics detail = pg_exception_detail;
    raise exception using errcode = sqlstate, message =
      statement || ': ' || sqlerrm || case when detail <> '' then ' (' || detail || ')' else '' end;
  end $migration$`

const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))

/** Creates the extensions that the role may create; a missing one costs only its indexes. */
const madeExtensions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const available = yield* sql<{ readonly name: string; readonly made: boolean }>`
    select name::text as name, installed_version is not null as made from pg_available_extensions
     where name in ${sql.in(extensions)}`
  const found = new Set<string>()
  for (const { name, made } of available) {
    const make = made ? Effect.void : sql.unsafe(`create extension if not exists ${name}`).pipe(sql.withTransaction)
    const refusal = yield* Effect.flip(make).pipe(Effect.option)
    if (Option.isNone(refusal)) found.add(name)
    else yield* Effect.logWarning(`Filters that need ${name} scan their tables: ${inWords(refusal.value)}`)
  }
  return found
})

/** Makes the collation of orders and searches, as well as this Postgres can; returns the statements that ran. */
const makeCollation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly isCurrent: boolean }>`
    select coalesce(collversion = pg_collation_actual_version(oid), true) as "isCurrent"
      from pg_collation where collname = ${naturalOrder} and collnamespace = current_schema()::regnamespace`
  if (found !== undefined) return found.isCurrent ? [] : yield* refreshCollation
  for (const statement of collationStatements) {
    const refusal = yield* Effect.flip(sql.unsafe(statement).pipe(sql.withTransaction)).pipe(Effect.option)
    if (Option.isNone(refusal)) return [statement]
    yield* Effect.logWarning(`Texts are ordered by their bytes: ${inWords(refusal.value)}`)
  }
  return yield* new MigrationRefused({ message: `The collation ${naturalOrder} could not be made.` })
})

/** Sorts the indexes anew: another version of ICU may order texts otherwise. */
const refreshCollation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ readonly statement: string }>`
    select 'reindex index ' || indexrelid::regclass as statement from pg_index
     where (select oid from pg_collation where collname = ${naturalOrder} and collnamespace = current_schema()::regnamespace)
           = any (indcollation::oid[]) order by 1`
  const statements = [...indexes.map(({ statement }) => statement), `alter collation ${naturalOrder} refresh version`]
  for (const statement of statements) yield* sql.unsafe(statement)
  return statements
})

const foundColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<FoundColumn>`
    select c.relname::text as "table", a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
           not a.attnotnull as nullable, a.atthasdef or a.attidentity <> '' as filled
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and not a.attisdropped`
})

/** Each constraint, index and trigger of ours has its definition as its comment, so that changes are found. */
const foundDefinitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly comment: string }>`
    select coalesce(con.conname, trg.tgname, cls.relname)::text as name, d.description as comment
      from pg_description d
      left join pg_constraint con on d.classoid = 'pg_constraint'::regclass and con.oid = d.objoid
      left join pg_trigger trg on d.classoid = 'pg_trigger'::regclass and trg.oid = d.objoid
      left join pg_class cls on d.classoid = 'pg_class'::regclass and cls.oid = d.objoid and cls.relkind in ('i', 'I')
     where coalesce(con.conname, trg.tgname, cls.relname) is not null
       and coalesce(con.connamespace, cls.relnamespace, (select relnamespace from pg_class where oid = trg.tgrelid))
           = current_schema()::regnamespace`
  return new Map(rows.map(({ name, comment }) => [name, comment]))
})
