/** The target: writes rows in batches. A row that Postgres refuses is found, and does not stop the others. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type ObjectType, columnOf } from "../inventory/ObjectType.ts"
import { stored } from "../inventory/write/Stored.ts"
import { sqlStateOf } from "../postgres/Postgres.ts"
import { isTooLarge } from "./source/Convert.ts"

export type NewRow = Readonly<Record<string, unknown>> & { readonly id: number }

export interface RefusedRow {
  readonly id: number
  readonly reason: string
}

/** Errors of a value or a rule: the row is refused. Others end the move: a lost connection, a full disk. */
const isOfRow = (error: SqlError.SqlError): boolean => /^(?:2[23]|RW|P0001)/.test(sqlStateOf(error) ?? "")

/** The reason in the words of Postgres, with its detail, unless that is the whole row: it may have credentials. */
const reasonOf = (error: SqlError.SqlError): string => {
  const cause = error.reason.cause as { readonly message?: string; readonly detail?: string } | undefined
  const detail = cause?.detail?.startsWith("Failing row contains") === true ? undefined : cause?.detail
  return [cause?.message, detail].filter((text) => text !== undefined && text !== "").join(": ")
}

/** The id and these fields alone. */
export const only = (row: NewRow, names: ReadonlyArray<string>): NewRow => ({
  id: row.id,
  ...Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : [])))
})

/**
 * Writes rows with a statement; halves a batch that is refused, until the rows are found that cannot be written. Returns
 * these.
 */
const inBatches = (
  rows: ReadonlyArray<NewRow>,
  write: (json: string) => Effect.Effect<unknown, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<RefusedRow>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    if (rows.length === 0) return []
    const sql = yield* SqlClient.SqlClient
    const json = JSON.stringify(rows)
    const [only] = rows
    if (rows.length === 1 && isTooLarge(json)) return [{ id: only!.id, reason: "The row is larger than 16 MiB." }]
    if (rows.length > 1 && isTooLarge(json)) return yield* halves(rows, write)
    return yield* sql.withTransaction(write(json)).pipe(
      Effect.as<ReadonlyArray<RefusedRow>>([]),
      Effect.catchIf(isOfRow, (error) =>
        rows.length === 1 ? Effect.succeed([{ id: only!.id, reason: reasonOf(error) }]) : halves(rows, write)
      )
    )
  })

const halves = (
  rows: ReadonlyArray<NewRow>,
  write: (json: string) => Effect.Effect<unknown, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<RefusedRow>, SqlError.SqlError, SqlClient.SqlClient> => {
  const half = Math.ceil(rows.length / 2)
  return Effect.gen(function* () {
    return [...(yield* inBatches(rows.slice(0, half), write)), ...(yield* inBatches(rows.slice(half), write))]
  })
}

const columnsIn = (type: ObjectType, row: NewRow): ReadonlyArray<readonly [field: string, column: string]> =>
  Object.keys(row).flatMap((name) => (name === "id" ? [] : [[name, columnOf(type, name)] as const]))

/** Values by column, secrets sealed or hashed; those of `verbatim` are stored already. */
export const asColumns = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<NewRow>,
  verbatim: ReadonlyArray<string> = []
) {
  const plain = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !verbatim.includes(name))))
  const kept = yield* stored(type, plain)
  return kept.map((values, at): NewRow => {
    const row = { ...values, ...Object.fromEntries(verbatim.map((name) => [name, rows[at]![name]])) } as NewRow
    return { id: row.id, ...Object.fromEntries(columnsIn(type, row).map(([name, column]) => [column, row[name]])) }
  })
})

/** Inserts rows under their ids. Returns those that Postgres refused. */
export const insertRows = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<NewRow>,
  verbatim: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const values = yield* asColumns(type, rows, verbatim)
  if (values.length === 0) return []
  const columns = Object.keys(values[0]!)
  const statement = `insert into ${type.table} (${columns.join(", ")})
    select ${columns.map((column) => `j.${column}`).join(", ")}
      from jsonb_populate_recordset(null::${type.table}, $1::jsonb) with ordinality j order by j.ordinality`
  return yield* inBatches(values, (json) => sql.unsafe(statement, [json]))
})

/** Sets these fields of rows that exist. Returns the rows that Postgres refused. */
export const updateRows = Effect.fnUntraced(function* (
  type: ObjectType,
  rows: ReadonlyArray<NewRow>,
  verbatim: ReadonlyArray<string> = []
) {
  const sql = yield* SqlClient.SqlClient
  const values = yield* asColumns(type, rows, verbatim)
  if (values.length === 0) return []
  const columns = Object.keys(values[0]!).filter((name) => name !== "id")
  const statement = `update ${type.table} t set ${columns.map((column) => `${column} = j.${column}`).join(", ")}
    from jsonb_populate_recordset(null::${type.table}, $1::jsonb) j where t.id = j.id`
  return yield* inBatches(values, (json) => sql.unsafe(statement, [json]))
})

/** Deletes rows. Returns the rows that Postgres refused to delete. */
export const deleteRows = Effect.fnUntraced(function* (type: ObjectType, rows: ReadonlyArray<NewRow>) {
  const sql = yield* SqlClient.SqlClient
  const statement = `delete from ${type.table} t using jsonb_to_recordset($1::jsonb) j (id bigint) where t.id = j.id`
  return yield* inBatches(rows, (json) => sql.unsafe(statement, [json]))
})

/** Lets the ids of a table continue behind the last one of the source, and behind those that are here. */
export const continueIds = Effect.fnUntraced(function* (type: ObjectType, last: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `select setval(s, greatest($1::bigint, (select max(id) from ${type.table}), pg_sequence_last_value(s::regclass), 1))::text
       from pg_get_serial_sequence('${type.table}', 'id') s`,
    [last]
  )
})
