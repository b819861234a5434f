/**
 * The connections of requests. A statement that does not write gets a few seconds (`REQUEST_STATEMENT_TIMEOUT`).
 *
 * Two kinds of work have further limits, so that connections remain for short statements: transactions, which keep
 * their connection while they wait for locks, and statements with a regular expression, whose duration is not known in
 * advance. The latter have a small separate pool, less time and a short queue.
 */
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { Settings } from "../Config.ts"
import { makeLane } from "../eventloop/Lane.ts"
import { Servers } from "../embedded/Servers.ts"
import type { Client } from "./connect/Client.ts"
import { connectionsDefault, sharesOf, transactionsMax } from "./Connections.ts"
import { openPool, statementMillis } from "./Postgres.ts"
import { ReplyLimit } from "./ReplyLimit.ts"

/** Most transactions that wait for a connection, and their longest wait. */
const transactionsWaiting = 200
const transactionWaitMillis = 30_000

/** Most statements with a pattern that wait, and their longest wait. */
const patternsWaiting = 8
const patternWaitMillis = 5_000

/** Time for a statement with a pattern, milliseconds. */
const patternMillis = 1_500

/** The request is refused because too many requests of its kind are waiting. */
export class TooMany extends Error {}

const tooMany = (what: string) =>
  Effect.suspend(() => {
    const cause = new TooMany(`Too many ${what} at once.`)
    const reason = new SqlError.StatementTimeoutError({ cause, message: cause.message, operation: "wait" })
    return Effect.fail(new SqlError.SqlError({ reason }))
  })

/** Whether a statement matches a regular expression from a parameter. */
const carriesPattern = (statement: string): boolean => / ~\*? \$\d/.test(statement)

export const requestSqlLayer = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const { requestStatementTimeout } = yield* Settings
    const millis = Duration.toMillis(requestStatementTimeout)
    const { connections = connectionsDefault } = yield* Servers
    const replyLimit = new ReplyLimit()
    const usual = yield* openPool({ connections: "requests", statementMillis: millis, mayBePooled: true, replyLimit })
    const patternTime = Math.min(millis, patternMillis)
    const forPatterns = yield* openPool({
      ...{ connections: "patterns", statementMillis: patternTime },
      ...{ mayBePooled: true, replyLimit }
    })
    const patterned = yield* patternClient(usual, forPatterns)
    const transactions = makeLane({
      most: transactionsMax(sharesOf(connections).requests),
      waiting: transactionsWaiting,
      patienceMillis: transactionWaitMillis,
      busy: tooMany("transactions")
    })
    const withTransaction: SqlClient.SqlClient["withTransaction"] = (effect) =>
      Effect.flatMap(Effect.serviceOption(usual.transactionService), (open) =>
        Option.isSome(open) ? usual.withTransaction(effect) : transactions.run(usual.withTransaction(effect))
      )
    const unsafe: SqlClient.SqlClient["unsafe"] = (statement, parameters) =>
      (carriesPattern(statement) ? patterned : usual).unsafe(statement, parameters)
    const own = { unsafe, withTransaction }
    return new Proxy<SqlClient.SqlClient>(usual, {
      get: (target, name) => (Object.hasOwn(own, name) ? own[name as keyof typeof own] : Reflect.get(target, name))
    })
  })
).pipe(Layer.provide(Reactivity.layer))

/** Runs statements with patterns: on the connection of the open transaction, else in the pool for patterns. */
const patternClient = (usual: SqlClient.SqlClient, forPatterns: Client) => {
  let waiting = 0
  const reserve = Effect.suspend(() => {
    if (waiting >= patternsWaiting) return tooMany("queries with a pattern")
    waiting += 1
    return forPatterns.lease.pipe(
      Effect.timeoutOrElse({ duration: patternWaitMillis, orElse: () => tooMany("queries with a pattern") }),
      Effect.ensuring(Effect.sync(() => (waiting -= 1)))
    )
  })
  const acquirer = Effect.flatMap(Effect.serviceOption(usual.transactionService), (open) =>
    Option.isSome(open) ? Effect.succeed(shortly(open.value[0])) : reserve
  )
  return SqlClient.make({ acquirer, compiler: PgClient.makeCompiler(), driver: "pg", spanAttributes: [] })
}

/** The connection of a transaction, with the time limit of patterns for each statement. */
const shortly = (connection: SqlConnection.Connection): SqlConnection.Connection => {
  const allow = (millis: number) =>
    connection.execute("select set_config('statement_timeout', $1, true)", [`${millis}`], undefined)
  const execute: SqlConnection.Connection["execute"] = (statement, parameters, transform) =>
    allow(patternMillis).pipe(
      Effect.andThen(connection.execute(statement, parameters, transform)),
      // Not needed after a failure, because no further statement can run in the transaction.
      Effect.tap(() => allow(statementMillis))
    )
  return Object.assign(Object.create(connection) as SqlConnection.Connection, { execute })
}
