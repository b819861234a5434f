/**
 * The source: one snapshot of a NetBox database. Its transaction is read only, so that nothing is written there, and rows
 * are read through cursors, so that a table of any size takes bounded memory.
 */
import { Effect, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { asTexts } from "../../inventory/derive/filter/Where.ts"
import { Servers } from "../../embedded/Servers.ts"
import { openPool } from "../../postgres/Postgres.ts"
import { type Catalogue, type SourceTable, identifier, typeNamed } from "./Catalogue.ts"
import type { SourceRow } from "./Convert.ts"

/** Rows that are fetched at a time. */
const pageRows = 1000

export class Snapshot {
  private readonly sql: SqlClient.SqlClient
  private readonly schema: "public" | "pg_temp"
  /** SQL: the number of the schema. */
  private readonly namespace: string
  private cursors = 0

  constructor(sql: SqlClient.SqlClient, schema: "public" | "pg_temp") {
    this.sql = sql
    this.schema = schema
    this.namespace = schema === "public" ? "'public'::regnamespace" : "pg_my_temp_schema()"
  }

  /** Runs the effect within the snapshot. */
  within = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    this.sql.withTransaction(
      this.sql.unsafe("set transaction isolation level repeatable read, read only").pipe(
        // Statements name tables alone.
        Effect.andThen(this.sql.unsafe(`set local search_path = ${this.schema}`)),
        Effect.andThen(effect)
      )
    )

  /** Reads the catalogue. */
  readonly catalogue = Effect.suspend(() => this.readCatalogue())

  private readCatalogue = Effect.fnUntraced({ self: this }, function* (this: Snapshot) {
    const columns = yield* this.sql.unsafe<{
      readonly table: string
      readonly column: string
      readonly type: string
      readonly readable: boolean
    }>(
      `select c.relname::text as "table", a.attname::text as "column", format_type(a.atttypid, a.atttypmod) as type,
              has_table_privilege(c.oid, 'select') as readable
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = ${this.namespace} and c.relkind in ('r', 'p') order by c.relname, a.attnum`
    )
    const tables = new Map<string, SourceTable & { readonly columns: Map<string, string> }>()
    for (const { table, column, type, readable } of columns) {
      const known = tables.get(table) ?? { columns: new Map<string, string>(), isReadable: readable }
      known.columns.set(column, type)
      tables.set(table, known)
    }
    const types =
      tables.get("django_content_type")?.isReadable === true
        ? yield* this.sql.unsafe<{ readonly id: number; readonly app: string; readonly model: string }>(
            `select id::int as id, app_label::text as app, model::text as model from django_content_type`
          )
        : []
    const contentTypes = new Map(types.map(({ id, app, model }) => [id, typeNamed(app, model)]))
    return { tables, contentTypes } satisfies Catalogue
  })

  /** How many rows of a table meet a condition over `t`. */
  count = (table: string, where: string): Effect.Effect<number, SqlError.SqlError> =>
    Effect.map(
      this.sql.unsafe<{ readonly count: number }>(
        `select count(*)::float8 as count from ${identifier(table)} t where ${where}`
      ),
      ([row]) => row!.count
    )

  /** The rows of a statement, JSON in the column `row`. */
  rows = <Row>(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
    Effect.map(this.sql.unsafe<{ readonly row: Row }>(statement, parameters), (found) => found.map(({ row }) => row))

  /** The ids among these that rows of a table have. */
  idsAmong = (
    table: string,
    where: string,
    ids: ReadonlyArray<number>
  ): Effect.Effect<ReadonlySet<number>, SqlError.SqlError> =>
    Effect.map(
      this.sql.unsafe<{ readonly id: number }>(
        `select t.id::float8 as id from "${table}" t where (${where}) and t.id = any ($1::text[]::bigint[])`,
        [asTexts(ids)]
      ),
      (rows) => new Set(rows.map(({ id }) => id))
    )

  /** Where the ids of a table continue; undefined if the role may not read that. */
  lastId = (table: string): Effect.Effect<number | undefined, SqlError.SqlError> =>
    Effect.map(
      this.sql.unsafe<{ readonly last: number | null }>(
        `select greatest((select max(id) from "${table}"),
           case when has_sequence_privilege(s, 'select') then pg_sequence_last_value(s::regclass) end)::float8 as last
           from pg_get_serial_sequence('"${table}"', 'id') s`
      ),
      ([row]) => row?.last ?? undefined
    )

  /** Passes the rows of a statement, JSON in the column `row`, page by page. */
  pages = <E, R>(
    statement: string,
    use: (rows: ReadonlyArray<SourceRow>) => Effect.Effect<unknown, E, R>
  ): Effect.Effect<void, E | SqlError.SqlError, R> => {
    const { sql } = this
    const name = `move_${++this.cursors}`
    return Effect.gen(function* () {
      yield* sql.unsafe(`declare ${name} no scroll cursor for ${statement}`)
      const fetched = sql.unsafe<{ readonly row: SourceRow }>(`fetch ${pageRows} from ${name}`)
      let rows = yield* fetched
      while (rows.length > 0) {
        const page = rows.map(({ row }) => withNumber(row))
        // The source reads the next page as the target writes this one.
        const [next] = yield* Effect.all([rows.length < pageRows ? Effect.succeed([]) : fetched, use(page)], {
          concurrency: 2
        })
        rows = next
      }
      yield* sql.unsafe(`close ${name}`)
    })
  }
}

/** An id beyond 2^53 is no number of JavaScript exactly: rounded, it is refused as too large. */
const withNumber = (row: SourceRow): SourceRow =>
  typeof row.id === "number" || row.id === undefined ? row : { ...row, id: Number(`${row.id as unknown}`) }

/** Opens the source, which is closed with the scope. */
export const openSnapshot = Effect.fnUntraced(function* (databaseUrl: Redacted.Redacted) {
  const own = yield* Servers
  const client = yield* openPool({ connections: 1, statementMillis: undefined, isSource: true }).pipe(
    Effect.provideService(Servers, { ...own, databaseUrl, poolerUrl: undefined }),
    Effect.provide(Reactivity.layer)
  )
  return new Snapshot(client, "public")
})
