/** Statements on the pool of the stages, which a service has for the address of its Postgres. */
import { Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Servers } from "../../src/embedded/Servers.ts"
import { Postgres } from "../../src/postgres/Postgres.ts"

/** Runs the program; rejects with its error. */
export const onPool = <A>(
  databaseUrl: string,
  program: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError, Scope.Scope>
): Promise<A> => {
  const none = Redacted.make("")
  const servers = Servers.of({ databaseUrl: Redacted.make(databaseUrl), redisUrl: none, secretKey: none })
  return Effect.flatMap(SqlClient.SqlClient, program).pipe(
    Effect.scoped,
    Effect.provide(Postgres.layer.pipe(Layer.provide(Layer.succeed(Servers, servers)))),
    Effect.runPromise
  )
}
