/**
 * A pool of the driver as a client of SQL, for a server that may move.
 *
 * Each connection is verified before its first statement; one to a standby or a server that takes no writes is replaced.
 * If there are several hosts, a connection that cannot be made is tried at the others.
 *
 * Behind a pooler sessions keep nothing: each statement is a transaction of its own, which begins with its limits.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { type LoanOptions, loansOf } from "./Loans.ts"
import { beginCommitted } from "./Session.ts"

interface Options extends LoanOptions {
  readonly config: PgClient.PgPoolConfig
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
}

/** A client that also lends connections for single statements. */
export interface Client extends PgClient.PgClient {
  readonly lease: SqlConnection.Acquirer
}

export const makeClient = Effect.fnUntraced(function* ({ config, spanAttributes, ...options }: Options) {
  const { limits } = options
  const { acquirer, borrower, pinnedSession, pinned } = loansOf(yield* PgPool.make(config), options)
  const client = yield* SqlClient.make({
    acquirer,
    borrower,
    transactionAcquirer: pinnedSession,
    beginTransaction: limits === undefined ? "BEGIN" : beginCommitted,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes
  })
  const json = Statement.custom("PgJson")
  const { withTransaction } = client
  const limited: SqlClient.SqlClient["withTransaction"] = (effect) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (open) =>
      withTransaction(
        limits === undefined || Option.isSome(open) ? effect : Effect.andThen(client.unsafe(limits), effect)
      )
    )
  const own: Omit<Client, keyof SqlClient.SqlClient> = {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value) => Statement.fragment([json(value, undefined, undefined)]),
    listen: (channel) => Effect.flatMap(pinned, (connection) => connection.listen(channel)),
    notify: (channel, payload) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})::text`),
    lease: acquirer
  }
  return Object.assign(client, own, limits === undefined ? {} : { withTransaction: limited }) as Client
})

/** Postgres answers COMMIT with ROLLBACK if the transaction has failed. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK"
      ? Effect.suspend(() => Effect.fail(rolledBack()))
      : Effect.void
  )

const rolledBack = (): SqlError.SqlError => {
  const cause = new Error("COMMIT rolled back an aborted transaction")
  return new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause, message: cause.message, operation: "commit" })
  })
}
