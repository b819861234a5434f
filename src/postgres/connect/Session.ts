/** Statements on a connection of the driver. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"

type Connection = PgConnection.PgConnection

/** SQLSTATE of a write that the server refuses because it takes none. */
const readOnlyState = "25006"

/** Begins a transaction behind a pooler; the role may have another isolation by default. */
export const beginCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED"

export class Session implements SqlConnection.Connection {
  protected readonly connection: Connection
  private readonly doubt: () => void

  /** `doubt` is called when the server refuses a write because it takes none. */
  constructor(connection: Connection, doubt: () => void) {
    this.connection = connection
    this.doubt = doubt
  }

  private query(statement: string, parameters: ReadonlyArray<unknown>, prepare: boolean) {
    return this.run(this.connection.query(statement, parameters, prepare))
  }

  protected run<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.tapError(statement, ({ reason }) =>
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
    this.run(this.connection.queryValues(statement, parameters))

  executeValuesUnprepared: SqlConnection.Connection["executeValuesUnprepared"] = (statement, parameters) =>
    this.run(this.connection.queryValues(statement, parameters, false))

  executeStream: SqlConnection.Connection["executeStream"] = (statement, parameters, transform) => {
    const rows = this.connection.stream(statement, parameters)
    return transform === undefined ? rows : Stream.mapArray(rows, (some) => transform(some) as typeof some)
  }
}

/** Runs each statement in a transaction of its own, with limits. */
export class LimitedSession extends Session {
  private readonly limits: string

  constructor(connection: Connection, doubt: () => void, limits: string) {
    super(connection, doubt)
    this.limits = limits
  }

  protected override run<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    const plain = (text: string) => this.connection.query(text, [], false)
    const transaction = Effect.andThen(plain(beginCommitted), plain(this.limits)).pipe(
      Effect.andThen(statement),
      Effect.tap(() => plain("COMMIT")),
      Effect.onError(() => Effect.ignore(plain("ROLLBACK")))
    )
    return super.run(transaction)
  }
}
