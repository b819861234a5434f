/** Plain SQL to any Postgres. */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import type { SqlError } from "effect/sql"

export interface Sql {
  /** Runs a statement; answers its rows, or rejects with the server's error. */
  readonly query: <A extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<A>>
  /** Runs statements in one transaction. */
  readonly transaction: (...statements: ReadonlyArray<string>) => Promise<void>
  readonly close: () => Promise<void>
}

export const openSql = (url: string): Sql => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
  const run = <A>(use: (sql: PgClient.PgClient) => Effect.Effect<A, SqlError.SqlError>): Promise<A> =>
    runtime.runPromise(
      Effect.flatMap(PgClient.PgClient, use).pipe(Effect.mapError(({ reason }) => reason.cause as Error))
    )
  return {
    query: <A extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      run((sql) => sql.unsafe<A>(statement, parameters)),
    transaction: (...statements) =>
      run((sql) =>
        sql.withTransaction(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
      ),
    close: () => runtime.dispose()
  }
}

/** The same server's database, of Postgres by name or of Redis by number. */
export const databaseAt = (url: string, path: string): string =>
  Object.assign(new URL(url), { pathname: `/${path}` }).href
