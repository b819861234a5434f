/** One connection to Postgres, on which transactions can be left open. */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"

export interface Session {
  readonly query: <A extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<A>>
  readonly close: () => Promise<void>
}

export const openSession = (url: string): Session => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  return {
    query: <A extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      runtime.runPromise(
        Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(statement, parameters)).pipe(
          Effect.mapError(({ reason }) => reason.cause as Error)
        )
      ),
    close: () => runtime.dispose()
  }
}
