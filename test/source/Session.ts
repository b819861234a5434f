/** One connection to Postgres, on which transactions can be left open. It is never replaced by another one. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, ManagedRuntime, Redacted, Scope } from "effect"
import type { SqlConnection } from "effect/sql"

export interface Session {
  readonly query: <A extends object>(
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Promise<ReadonlyArray<A>>
  /** Whether the connection is lost: all statements fail from then on, and a transaction that was open is rolled back. */
  readonly isLost: () => boolean
  readonly close: () => Promise<void>
}

/** SQLSTATEs of an answer that ends the connection: the server stops, or the connection failed. */
const endsConnection = /^(57P|08)/

const isAnswer = (error: Error): boolean => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && code !== "EPIPE" && !endsConnection.test(code)
}

export const openSession = (url: string): Session => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  const scope = Effect.runSync(Scope.make())
  let isLost = false
  let opened: Promise<SqlConnection.Connection> | undefined
  const open = () =>
    (opened ??= runtime.runPromise(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.reserve).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.mapError(({ reason }) => reason.cause as Error)
      )
    ))
  const run = async (statement: string, parameters: ReadonlyArray<unknown>) => {
    if (isLost) throw new Error("the connection is lost")
    try {
      const connection = await open()
      return await runtime.runPromise(
        Effect.mapError(connection.execute(statement, parameters, undefined), ({ reason }) => reason.cause as Error)
      )
    } catch (error) {
      if (!isAnswer(error as Error)) isLost = true
      throw error
    }
  }
  return {
    query: <A extends object>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
      run(statement, parameters) as Promise<ReadonlyArray<A>>,
    isLost: () => isLost,
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await runtime.dispose()
    }
  }
}
