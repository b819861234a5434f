/** Lends the connections of a pool. Each is verified before its first loan, and one whose server is not fit is closed. */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Exit, Scope } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import type { Hosts } from "./Hosts.ts"
import { LimitedSession, Session } from "./Session.ts"

type Connection = PgConnection.PgConnection

export interface LoanOptions {
  /** The pool opens its sockets to the current one. */
  readonly hosts: Hosts
  /** Fails if the server of a connection must not be worked on. */
  readonly verify: (connection: Connection) => Effect.Effect<void, SqlError.SqlError>
  /** Behind a pooler: the statement that sets the limits of a transaction. */
  readonly limits?: string | undefined
}

/** Which connections of a pool are verified. */
class Verification {
  private readonly verified = new WeakSet<Connection>()
  private readonly unfit = new Set<Connection>()
  private readonly pool: PgPool.PgPool
  private readonly verify: LoanOptions["verify"]

  constructor(pool: PgPool.PgPool, verify: LoanOptions["verify"]) {
    this.pool = pool
    this.verify = verify
  }

  isVerified(connection: Connection): boolean {
    return this.verified.has(connection)
  }

  /** Verifies the connection unless it is verified. */
  readonly admit = (connection: Connection): Effect.Effect<void, SqlError.SqlError> =>
    this.verified.has(connection)
      ? Effect.void
      : this.verify(connection).pipe(
          Effect.tap(() => Effect.sync(() => this.verified.add(connection))),
          Effect.tapError(() => Effect.sync(() => this.unfit.add(connection)))
        )

  /** Returns a function that has the connection verified again. */
  doubt(connection: Connection): () => void {
    return () => void this.verified.delete(connection)
  }

  /** The loan, after the pool has closed unfit connections: within a loan it might wait for the end of that loan. */
  beside<A, E, R>(loan: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => (this.unfit.size === 0 ? loan : Effect.andThen(this.discard, loan)))
  }

  private readonly discard = Effect.suspend(() => {
    const found = [...this.unfit]
    this.unfit.clear()
    return Effect.forEach(found, (connection) => this.pool.invalidate(connection), { discard: true })
  })
}

/** Tries the other hosts after a failure, until `isLent`. */
const elsewhere = <A, E, R>(
  hosts: Hosts,
  attempt: Effect.Effect<A, E, R>,
  isLent: () => boolean
): Effect.Effect<A, E, R> => {
  const noted = Effect.suspend(() => {
    const place = hosts.current
    return Effect.tapError(attempt, () => Effect.sync(() => isLent() || hosts.leave(place)))
  })
  return Effect.retry(noted, { times: hosts.count - 1, while: () => !isLent() })
}

export const loansOf = (pool: PgPool.PgPool, { hosts, verify, limits }: LoanOptions) => {
  const verification = new Verification(pool, verify)
  /** A session for single statements. */
  const sessionOf = (connection: Connection) =>
    limits === undefined
      ? new Session(connection, verification.doubt(connection))
      : new LimitedSession(connection, verification.doubt(connection), limits)
  const lend: SqlConnection.Borrower = (use) =>
    verification.beside(
      pool.use((connection) =>
        verification.isVerified(connection)
          ? use(sessionOf(connection))
          : Effect.andThen(
              verification.admit(connection),
              Effect.suspend(() => use(sessionOf(connection)))
            )
      )
    )
  const lendElsewhere: SqlConnection.Borrower = (use) =>
    Effect.suspend(() => {
      let isLent = false
      const attempt = lend((session) => {
        isLent = true
        return use(session)
      })
      return elsewhere(hosts, attempt, () => isLent)
    })
  /** A connection until the scope ends; one that was not admitted is returned at once. */
  const lease = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Scope.Scope)
    return yield* pool.get.pipe(
      Scope.provide(scope),
      Effect.tap(verification.admit),
      Effect.tapError(() => Scope.close(scope, Exit.void))
    )
  }).pipe(
    (loan) => verification.beside(loan),
    (loan) => elsewhere(hosts, loan, () => false)
  )
  const pinned = Effect.flatMap(lease, (connection) =>
    Effect.map(connection.pin, (exclusive) => [connection, exclusive] as const)
  )
  return {
    acquirer: Effect.map(lease, sessionOf),
    borrower: hosts.count === 1 ? lend : lendElsewhere,
    /** A connection for exclusive use. */
    pinned: Effect.map(pinned, ([, exclusive]) => exclusive),
    /** The same for statements; the transaction, or the caller, sets the limits. */
    pinnedSession: Effect.map(
      pinned,
      ([connection, exclusive]) => new Session(exclusive, verification.doubt(connection))
    )
  }
}
