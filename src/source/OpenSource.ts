/** Opens the database of a source, and reads which change table it has. */
import { Effect, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Reactivity } from "effect/reactivity"
import { Servers } from "../embedded/Servers.ts"
import { Vault } from "../inventory/Vault.ts"
import { openPool } from "../postgres/Postgres.ts"
import { Capacity, type LastEvents } from "./Capacity.ts"
import { openObjectApi } from "./data/ObjectApi.ts"
import { type NetBoxTable, contentTypesOf, findTable } from "./netbox/NetBoxTable.ts"
import type { SourceRow } from "./SourceRow.ts"
import type { EventSource } from "./SourceEvents.ts"
import { SourceFailed } from "./SourceFailed.ts"

/** Connections to the database of a source, besides that of the stream: for statements, and for pages of large transactions. */
const connections = 2

/** Time for a statement there, milliseconds. */
const statementMillis = 60_000

/** The database of a source while it is read. */
export interface OpenSource {
  readonly row: SourceRow
  readonly url: Redacted.Redacted
  readonly sql: SqlClient.SqlClient
  readonly table: NetBoxTable
  readonly events: EventSource
  readonly capacity: Capacity
  /** Reads the types again where one of these is not known: a plugin was installed. */
  readonly learn: (contentTypes: ReadonlySet<number>) => Effect.Effect<void, SqlError.SqlError>
}

/** Opens a pool to a database, which is closed with the scope. */
export const openDatabase = Effect.fnUntraced(function* (databaseUrl: Redacted.Redacted) {
  const own = yield* Servers
  return yield* openPool({ connections, statementMillis, isSource: true }).pipe(
    Effect.provideService(Servers, { ...own, databaseUrl, poolerUrl: undefined }),
    Effect.provide(Reactivity.layer)
  )
})

/** The address of the database of a source. */
export const urlOf = Effect.fnUntraced(function* ({ database_url: sealed }: Pick<SourceRow, "database_url">) {
  const text = (yield* Vault).open(sealed)
  if (text === undefined) {
    const message = "the database URL was sealed with a key that is lost: enter it anew"
    return yield* new SourceFailed({ reason: "Secret", message })
  }
  return Redacted.make(text)
})

export const openSource = Effect.fnUntraced(function* (row: SourceRow, last: LastEvents) {
  const { open } = yield* Vault
  const url = yield* urlOf(row)
  const sql = yield* openDatabase(url)
  const table = yield* findTable(sql)
  if (table === undefined) {
    const message = "the database has neither core_objectchange nor extras_objectchange: is it a NetBox from 3.1 on?"
    return yield* new SourceFailed({ reason: "NotNetBox", message })
  }
  const types = new Map(table.contentTypes)
  const token = row.api_token === "" ? undefined : open(row.api_token)
  const api =
    row.api_url === "" || token === undefined
      ? undefined
      : yield* openObjectApi({ apiUrl: row.api_url, token: Redacted.make(token) })
  const events: EventSource = {
    id: row.id,
    name: row.name,
    apiUrl: row.api_url,
    typeOf: (contentType) => types.get(contentType) ?? `unknown.${contentType}`,
    fetch: api?.fetch
  }
  const learn: OpenSource["learn"] = Effect.fnUntraced(function* (contentTypes) {
    if ([...contentTypes].every((each) => types.has(each))) return
    for (const [id, type] of yield* contentTypesOf(sql)) types.set(id, type)
  })
  return { row, url, sql, table, events, capacity: new Capacity(row.id, last), learn } satisfies OpenSource
})
