/**
 * The connection pool to Postgres. Sessions speak UTC, so that timestamps look the same here and in the WAL.
 *
 * Nothing waits for ever: Postgres ends a statement, and a transaction that nobody goes on with, after a minute; a
 * connection that owes an answer for longer is dead, however alive the network makes it look, and is closed.
 */
import { type Socket, connect } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { reveal } from "./Config.ts"
import { type PostgresAddress, addressOf } from "./PostgresUrl.ts"
import { Servers } from "./embedded/Servers.ts"

/** Most connections of one process; a request holds one while it writes. */
const connectionsMax = 16

/** Largest message that the server may send, bytes. A page of a thousand objects is a few megabytes. */
const messageSizeMax = 64 * 1024 * 1024

/** Time for a statement, and for a transaction between two statements, milliseconds. */
const statementMillis = 60_000

/** Time for any answer, milliseconds: longer than Postgres takes to give up. */
const answerMillis = 75_000

/** A socket to the server, not connected yet. */
export const openSocket = ({ host, port }: Pick<PostgresAddress, "host" | "port">): Socket =>
  connect(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true, keepAlive: true })

/** Destroys the socket when nothing is heard for so long after something was written, milliseconds. */
export const watch = (socket: Socket, millis: number): Socket => {
  let heard = 0
  let answered = 0
  let since = performance.now()
  const look = setInterval(() => {
    if (socket.bytesRead !== heard || socket.bytesWritten === answered) since = performance.now()
    if (socket.bytesRead !== heard) {
      heard = socket.bytesRead
      answered = socket.bytesWritten
    }
    if (performance.now() - since > millis) socket.destroy(new Error(`no answer from Postgres for ${millis} ms`))
  }, millis / 10)
  look.unref()
  return socket.once("close", () => clearInterval(look))
}

const pool = (bounded: boolean) =>
  Layer.unwrap(
    Effect.map(Servers, ({ databaseUrl }) => {
      const address = addressOf(reveal(databaseUrl))
      const bound = `${statementMillis}`
      return PgClient.layer({
        host: address.host,
        port: address.port,
        username: address.user,
        password: Redacted.make(address.password),
        database: address.database,
        ssl: address.tls ?? false,
        applicationName: "rackwire",
        startupParameters: {
          timezone: "UTC",
          ...(bounded ? { statement_timeout: bound, idle_in_transaction_session_timeout: bound } : {})
        },
        stream: () => (bounded ? watch(openSocket(address), answerMillis) : openSocket(address)),
        maxConnections: connectionsMax,
        maxMessageSize: messageSizeMax
      })
    })
  )

export const Postgres = {
  layer: pool(true),
  /** Statements may take as long as they need: for migrations. */
  patient: pool(false)
}
