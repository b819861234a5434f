/**
 * The connection pools to Postgres. Sessions speak UTC, so that timestamps look the same here and in the WAL.
 *
 * The stages (capture, deliver), the requests (RequestSql.ts) and admission (AdmissionSql.ts) have a pool each, so that
 * none of them waits for a connection behind another.
 *
 * Nothing waits for ever: Postgres ends a statement, and a transaction that nobody goes on with, after a minute; a
 * connection that owes an answer for longer is dead, however alive the network makes it look, and is closed, with those
 * that must have died with it.
 */
import { type Socket, connect } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { reveal } from "./Config.ts"
import { type PostgresAddress, addressOf } from "./PostgresUrl.ts"
import { Servers } from "./embedded/Servers.ts"

/** Most connections of the stages of one process. */
const stageConnectionsMax = 12

/** Largest message that the server may send, bytes. A page of a thousand objects is a few megabytes. */
const messageBytesMax = 64 * 1024 * 1024

/** Time for a statement of a stage or of a write, and for any transaction between two statements, milliseconds. */
export const statementMillis = 60_000

/** Time for any answer, milliseconds: longer than Postgres takes to give up. */
const answerMillis = 75_000

/** Silence after which the network is asked whether the other end is still there, milliseconds. */
const probeMillis = 10_000

/** The SQLSTATE that Postgres gave an error; undefined if it did not come from Postgres. */
export const sqlStateOf = ({ reason }: SqlError.SqlError): string | undefined =>
  (reason.cause as { readonly code?: string } | undefined)?.code

/** A socket to the server, not connected yet. */
export const openSocket = ({ host, port }: Pick<PostgresAddress, "host" | "port">): Socket =>
  connect(
    host.startsWith("/")
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeMillis }
  )

interface Watched {
  /** Bytes read at the last look, and when they had become more. */
  read: number
  heard: number
  /** Bytes written when they had, and since when more are written and not answered. */
  answered: number
  since: number
  /** Bytes read when something was written last. Not told where TLS writes past the socket. */
  asked: number | undefined
}

/**
 * Closes connections that owe an answer for too long, and with one of them all those of the same pool that were silent
 * as long: what they are asked next would not be answered either, and each would take its time to show it.
 */
export class Watch {
  private readonly sockets = new Map<Socket, Watched>()
  private readonly millis: number
  private timer: NodeJS.Timeout | undefined

  /** Time for any answer, milliseconds. */
  constructor(millis: number) {
    this.millis = millis
  }

  add(socket: Socket): Socket {
    const now = performance.now()
    const watched: Watched = { read: 0, heard: now, answered: 0, since: now, asked: undefined }
    this.sockets.set(socket, watched)
    const { write } = socket
    socket.write = ((...given: Parameters<typeof write>) => {
      watched.asked = socket.bytesRead
      return write.apply(socket, given)
    }) as typeof write
    this.timer ??= setInterval(() => this.look(), this.millis / 10).unref()
    return socket.once("close", () => {
      this.sockets.delete(socket)
      if (this.sockets.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    })
  }

  private look(): void {
    const now = performance.now()
    for (const [socket, watched] of this.sockets) {
      // Counted from look to look, a question right after an answer would pass for answered.
      const owes = socket.bytesWritten !== watched.answered || socket.bytesRead === watched.asked
      if (socket.bytesRead !== watched.read || !owes) watched.since = now
      if (socket.bytesRead === watched.read) continue
      Object.assign(watched, { read: socket.bytesRead, heard: now, answered: socket.bytesWritten })
    }
    const silent = Array.from(this.sockets.values()).filter(({ since }) => now - since > this.millis)
    if (silent.length === 0) return
    const lastHeard = Math.max(...silent.map(({ heard }) => heard))
    for (const [socket, { heard }] of this.sockets) {
      if (heard <= lastHeard) socket.destroy(new Error(`no answer from Postgres for ${this.millis} ms`))
    }
  }
}

interface Bounds {
  readonly connections: number
  /** Time for a statement, milliseconds; none where statements may take as long as they need. */
  readonly statementMillis: number | undefined
}

/** A pool of its own, as long as the scope lives. */
export const openPool = Effect.fnUntraced(function* (bounds: Bounds) {
  const { databaseUrl } = yield* Servers
  const address = addressOf(reveal(databaseUrl))
  const bounded = bounds.statementMillis !== undefined
  const watch = new Watch(answerMillis)
  return yield* PgClient.make({
    host: address.host,
    port: address.port,
    username: address.user,
    password: Redacted.make(address.password),
    database: address.database,
    ssl: address.tls ?? false,
    applicationName: "rackwire",
    startupParameters: {
      timezone: "UTC",
      ...(bounded && {
        statement_timeout: `${bounds.statementMillis}`,
        idle_in_transaction_session_timeout: `${statementMillis}`
      })
    },
    stream: () => (bounded ? watch.add(openSocket(address)) : openSocket(address)),
    maxConnections: bounds.connections,
    maxMessageSize: messageBytesMax
  })
})

const pool = (bounds: Bounds) => PgClient.layerFrom(openPool(bounds))

export const Postgres = {
  /** For the stages, and for commands. */
  layer: pool({ connections: stageConnectionsMax, statementMillis }),
  /** Statements may take as long as they need: for migrations. */
  patient: pool({ connections: 4, statementMillis: undefined })
}
