/**
 * A pool of the driver as a client of SQL, for a server that may move.
 *
 * Each connection is verified before its first statement; one to a standby or a server that takes no writes is replaced.
 * If there are several hosts, a connection that cannot be made is tried at the others.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Exit, Scope, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import type { Hosts } from "./Hosts.ts"

type Connection = PgConnection.PgConnection

/** SQLSTATE of a write that the server refuses because it takes none. */
const readOnlyState = "25006"

interface Options {
  readonly config: PgClient.PgPoolConfig
  /** The configuration opens its sockets to the current one. */
  readonly hosts: Hosts
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
  /** Fails if the server of a connection must not be worked on. */
  readonly verify: (connection: Connection) => Effect.Effect<void, SqlError.SqlError>
}

/** Lends the connections of a pool, verified. */
const loansOf = (pool: PgPool.PgPool, { hosts, verify }: Pick<Options, "hosts" | "verify">) => {
  const verified = new WeakSet<Connection>()
  const unfit = new Set<Connection>()
  const admit = (connection: Connection): Effect.Effect<void, SqlError.SqlError> =>
    verified.has(connection)
      ? Effect.void
      : verify(connection).pipe(
          Effect.tap(() => Effect.sync(() => verified.add(connection))),
          Effect.tapError(() => Effect.sync(() => unfit.add(connection)))
        )
  /** Before the next loan, and not within one: the pool may wait for the end of the loan. */
  const discardUnfit = Effect.suspend(() => {
    const found = [...unfit]
    unfit.clear()
    return Effect.forEach(found, (connection) => pool.invalidate(connection), { discard: true })
  })
  /** The session of a connection. `pinned`: the same connection, for exclusive use. */
  const sessionOf = (connection: Connection, pinned = connection) =>
    new Session(pinned, () => verified.delete(connection))

  /** Tries the other hosts after a failure, until `isLent`. */
  const elsewhere = <A, E, R>(attempt: Effect.Effect<A, E, R>, isLent: () => boolean): Effect.Effect<A, E, R> => {
    const noted = Effect.suspend(() => {
      const place = hosts.current
      return Effect.tapError(attempt, () => Effect.sync(() => isLent() || hosts.leave(place)))
    })
    return Effect.retry(noted, { times: hosts.count - 1, while: () => !isLent() })
  }
  const lend: SqlConnection.Borrower = (use) => {
    const loan = pool.use((connection) =>
      verified.has(connection)
        ? use(sessionOf(connection))
        : Effect.andThen(
            admit(connection),
            Effect.suspend(() => use(sessionOf(connection)))
          )
    )
    return Effect.suspend(() => (unfit.size === 0 ? loan : Effect.andThen(discardUnfit, loan)))
  }
  const borrower: SqlConnection.Borrower =
    hosts.count === 1
      ? lend
      : (use) =>
          Effect.suspend(() => {
            let isLent = false
            const attempt = lend((session) => {
              isLent = true
              return use(session)
            })
            return elsewhere(attempt, () => isLent)
          })
  /** A connection until the scope ends; one that was not admitted is returned at once. */
  const lease = elsewhere(
    Effect.gen(function* () {
      if (unfit.size > 0) yield* discardUnfit
      const scope = yield* Scope.fork(yield* Scope.Scope)
      return yield* pool.get.pipe(
        Scope.provide(scope),
        Effect.tap(admit),
        Effect.tapError(() => Scope.close(scope, Exit.void))
      )
    }),
    () => false
  )
  const pinned = Effect.flatMap(lease, (connection) =>
    Effect.map(connection.pin, (exclusive) => [connection, exclusive] as const)
  )
  return { acquirer: Effect.map(lease, (connection) => sessionOf(connection)), borrower, pinned, sessionOf }
}

export const makeClient = Effect.fnUntraced(function* ({ config, spanAttributes, ...options }: Options) {
  const { acquirer, borrower, pinned, sessionOf } = loansOf(yield* PgPool.make(config), options)
  const client = yield* SqlClient.make({
    acquirer,
    borrower,
    transactionAcquirer: Effect.map(pinned, ([connection, exclusive]) => sessionOf(connection, exclusive)),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes
  })
  const json = Statement.custom("PgJson")
  const own: Omit<PgClient.PgClient, keyof SqlClient.SqlClient> = {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value) => Statement.fragment([json(value, undefined, undefined)]),
    listen: (channel) => Effect.flatMap(pinned, ([, exclusive]) => exclusive.listen(channel)),
    notify: (channel, payload) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})::text`)
  }
  return Object.assign(client, own) as PgClient.PgClient
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

class Session implements SqlConnection.Connection {
  private readonly connection: Connection
  private readonly doubt: () => void

  /** `doubt` is called when the server refuses a write because it takes none. */
  constructor(connection: Connection, doubt: () => void) {
    this.connection = connection
    this.doubt = doubt
  }

  private query(statement: string, parameters: ReadonlyArray<unknown>, prepare: boolean) {
    return this.noted(this.connection.query(statement, parameters, prepare))
  }

  private noted<A>(run: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.tapError(run, ({ reason }) =>
      Effect.sync(
        () => (reason.cause as { readonly code?: string } | undefined)?.code === readOnlyState && this.doubt()
      )
    )
  }

  execute: SqlConnection.Connection["execute"] = (statement, parameters, transform) =>
    Effect.map(this.query(statement, parameters, true), ({ rows }) => transform?.(rows) ?? rows)

  executeRaw: SqlConnection.Connection["executeRaw"] = (statement, parameters) =>
    this.query(statement, parameters, true)

  executeUnprepared: SqlConnection.Connection["executeUnprepared"] = (statement, parameters, transform) =>
    Effect.map(this.query(statement, parameters, false), ({ rows }) => transform?.(rows) ?? rows)

  executeValues: SqlConnection.Connection["executeValues"] = (statement, parameters) =>
    this.noted(this.connection.queryValues(statement, parameters))

  executeValuesUnprepared: SqlConnection.Connection["executeValuesUnprepared"] = (statement, parameters) =>
    this.noted(this.connection.queryValues(statement, parameters, false))

  executeStream: SqlConnection.Connection["executeStream"] = (statement, parameters, transform) => {
    const rows = this.connection.stream(statement, parameters)
    return transform === undefined ? rows : Stream.mapArray(rows, (some) => transform(some) as typeof some)
  }
}
