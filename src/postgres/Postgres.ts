/**
 * The connection pools to Postgres. Sessions use UTC, so that timestamps have the same form here and in the WAL.
 *
 * The stages (capture, deliver), the requests (RequestSql.ts) and authentication (AdmissionSql.ts) have separate pools,
 * so that none of them waits for the connections of another.
 *
 * Every wait has a limit. Postgres cancels a statement after a minute, and an idle transaction as well. A connection
 * that owes a reply is closed within seconds if its statement does not run any more (Watch.ts), even if TCP still
 * considers it open.
 */
import { randomBytes } from "node:crypto"
import { type Socket, connect, isIP } from "node:net"
import type { ConnectionOptions } from "node:tls"
import { PgClient, type PgConnection, PgTypes } from "@effect/sql-pg"
import { Cause, Duration, Effect, Redacted, Result, flow } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { reveal } from "../Config.ts"
import { makeClient } from "./connect/Client.ts"
import { type Share, connectionsDefault, sharesOf } from "./Connections.ts"
import { parseStoredWithin } from "./ExactJson.ts"
import { Hosts } from "./connect/Hosts.ts"
import { type Place, type PostgresAddress, addressOf, isSocket, shownPlace, unfitness } from "./PostgresUrl.ts"
import { ReplyLimit } from "./ReplyLimit.ts"
import { Servers } from "../embedded/Servers.ts"
import { Pace } from "../eventloop/Pace.ts"
import { Watch } from "./connect/Watch.ts"

/** Largest message that the server may send, bytes. A page of a thousand objects is a few megabytes. */
const messageBytesMax = 64 * 1024 * 1024

/** Time for a statement of a stage or of a write, and for any transaction between two statements, milliseconds. */
export const statementMillis = 60_000

/** Longest wait for the reply to a statement that Postgres cancels after `statementMillis`, milliseconds. */
const answerMillis = 75_000

/** Time to connect to a host, authentication included, if the address names none, milliseconds. */
const connectMillis = 5_000

/** Postgres cuts a longer name of a session, ours included. */
const nameCharsMax = 48

/** Time for a probe to connect, and for each of its replies, milliseconds. */
export const livenessMillis = 3000

/** Idle time before the first TCP keep-alive probe, milliseconds. */
const probeMillis = 10_000

/** The SQLSTATE of an error; undefined if the error is not from Postgres. */
export const sqlStateOf = ({ reason }: SqlError.SqlError): string | undefined =>
  (reason.cause as { readonly code?: string } | undefined)?.code

/** A socket to the server, not connected yet. */
export const openSocket = ({ host, port }: Place): Socket =>
  connect(
    isSocket({ host, port })
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeMillis }
  )

const utf8 = new TextEncoder()

/** The codec of a type of JSON, whose bytes begin with these. */
const jsonCodec = (head: ReadonlyArray<number>): PgTypes.Codec<unknown> => {
  const read = (bytes: Uint8Array, offset: number, size: number) =>
    Result.succeed(parseStoredWithin(bytes, offset + head.length, offset + size))
  return {
    read,
    decode: (bytes) => read(bytes, 0, bytes.length),
    encode: (value) => Result.succeed(Uint8Array.from([...head, ...utf8.encode(JSON.stringify(value))]))
  }
}

/** The driver's types, with JSON that keeps the digits of its numbers. */
const exactTypes = PgTypes.makeRegistry()
exactTypes.register(PgTypes.OID.json, jsonCodec([]))
exactTypes.register(PgTypes.OID.jsonb, jsonCodec([1]))

interface Bounds {
  /** A number of connections, or the share of this pool. */
  readonly connections: number | Share
  /** Time for a statement, milliseconds; undefined for no limit. */
  readonly statementMillis: number | undefined
  /** Whether it connects to the pooler where there is one: it may keep nothing in its sessions, and not listen. */
  readonly mayBePooled?: boolean
  /** Bounds the replies to statements; absent for no limit. */
  readonly replyLimit?: ReplyLimit
  /** Whether the pool only probes the server: its connections are given up soon. */
  readonly isProbe?: boolean
  /** Whether the pool only reads a database of somebody else, which may be a standby. */
  readonly isSource?: boolean
  /** Whether its sessions have temporary tables: idle connections stay open. */
  readonly keepsSessions?: boolean
}

/** Opens a pool, which is closed with the scope. */
export const openPool = Effect.fnUntraced(function* (bounds: Bounds) {
  const { databaseUrl, poolerUrl, connections = connectionsDefault } = yield* Servers
  const isPooled = bounds.mayBePooled === true && poolerUrl !== undefined
  const address = addressOf(reveal(isPooled ? poolerUrl : databaseUrl))
  const hosts = new Hosts(address.hosts)
  const bounded = bounds.statementMillis !== undefined
  const limits = bounded && {
    statement_timeout: `${bounds.statementMillis}`,
    idle_in_transaction_session_timeout: `${statementMillis}`
  }
  const { silenceMillis } = (yield* Pace).servers
  // Its own name, by which its statements are found.
  const applicationName = `${address.applicationName.slice(0, nameCharsMax)} ${randomBytes(4).toString("hex")}`
  const context = yield* Effect.context<Servers>()
  const running = (silent: number) => runningStatements({ applicationName, silent, silenceMillis })
  const watched = {
    silenceMillis,
    limitMillis: bounded ? answerMillis : Number.POSITIVE_INFINITY,
    running: (silent: number) => Effect.runPromise(Effect.provideContext(running(silent), context))
  }
  // A probe has no probe of its own, and behind a pooler no session has the name of this pool.
  const onlyFor = bounds.isProbe === true ? livenessMillis : isPooled ? answerMillis : undefined
  const watch = new Watch(onlyFor === undefined ? watched : { silenceMillis: onlyFor, limitMillis: onlyFor })
  const open = () => {
    const socket = watch.add(openSocket(hosts.current))
    return bounds.replyLimit?.add(socket) ?? socket
  }
  const config: PgClient.PgPoolConfig = {
    username: address.user,
    password: Redacted.make(address.password),
    database: address.database,
    ssl: tlsTo(hosts, address.tls),
    connectTimeout: Duration.millis(
      bounds.isProbe === true ? livenessMillis : (address.connectMillis ?? connectMillis)
    ),
    applicationName,
    startupOptions: address.options,
    // Under a stricter isolation, which a role may have by default, transactions fail that only have to wait here.
    startupParameters: {
      timezone: "UTC",
      ...(!isPooled && { default_transaction_isolation: "read committed", ...limits })
    },
    // A pooler gives each transaction another session, which lacks the names of statements.
    prepare: !isPooled,
    stream: open,
    maxConnections:
      typeof bounds.connections === "number" ? bounds.connections : sharesOf(connections)[bounds.connections],
    ...(bounds.keepsSessions === true &&
      typeof bounds.connections === "number" && { minConnections: bounds.connections }),
    maxMessageSize: messageBytesMax,
    types: exactTypes
  }
  const { host, port } = hosts.current
  const spanAttributes = [
    ["db.system.name", "postgresql"],
    ["db.namespace", address.database],
    ["server.address", host],
    ["server.port", port]
  ] as const
  const client = yield* makeClient({
    ...{ config, hosts, spanAttributes },
    verify: bounds.isSource === true ? () => Effect.void : verifyFor(address, hosts),
    limits: isPooled && limits ? settingLocally(limits) : undefined
  })
  const { withTransaction } = client
  return Object.assign(client, { withTransaction: flow(withTransaction, withoutSqlDefects) })
})

/** A statement that makes settings for the rest of its transaction. */
const settingLocally = (settings: Readonly<Record<string, string>>): string =>
  `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(", ")}`

/** TLS to the current host; the driver reads the options for each connection. */
const tlsTo = (hosts: Hosts, tls: ConnectionOptions | undefined): ConnectionOptions | false =>
  tls !== undefined && {
    ...tls,
    get host() {
      return hosts.current.host
    },
    get servername() {
      return isIP(hosts.current.host) === 0 ? hosts.current.host : ""
    }
  }

/** The server is a standby, or takes no writes. */
export class UnfitServer extends Error {}

/** Fails with an `UnfitServer` as the cause if the server of a new connection is not one to work on. */
const verifyFor = (address: PostgresAddress, hosts: Hosts) => (connection: PgConnection.PgConnection) =>
  Effect.flatMap(connection.query(serverState, [], false), ({ rows: [state] }) => {
    const fault = unfitness(address, state as { readonly isStandby: boolean; readonly isReadOnly: boolean })
    if (fault === undefined) return Effect.void
    const cause = new UnfitServer(`${shownPlace(hosts.current)} ${fault}`)
    const reason = new SqlError.ConnectionError({ cause, message: cause.message, operation: "connect" })
    return Effect.fail(new SqlError.SqlError({ reason }))
  })

const serverState = `select pg_is_in_recovery() as "isStandby",
  current_setting('default_transaction_read_only') = 'on' as "isReadOnly"`

/**
 * A transaction that fails with an error of SQL where the client makes it a defect: that of a connection that broke, whose
 * ROLLBACK fails as well. Callers retry an error, and stop at a defect.
 */
const withoutSqlDefects = <A, E, R>(transaction: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchCause(transaction, (cause) => {
    const [defect, ...others] = cause.reasons.map((reason) => (Cause.isDieReason(reason) ? reason.defect : undefined))
    const isOfSql = SqlError.isSqlError(defect) && others.every((other) => SqlError.isSqlError(other))
    return isOfSql ? Effect.fail(defect) : Effect.failCause(cause)
  })

const pool = (bounds: Bounds) => PgClient.layerFrom(openPool(bounds))

export const Postgres = {
  /** For the stages and for commands. */
  layer: pool({ connections: "stages", statementMillis }),
  /** Without a time limit for statements, for migrations. */
  patient: pool({ connections: 4, statementMillis: undefined }),
  /** One connection, to probe whether the server answers. */
  single: pool({ connections: 1, statementMillis }),
  /** One connection through the pooler, to probe it. */
  singlePooled: pool({ connections: 1, statementMillis, mayBePooled: true }),
  /** One connection for a question about others, which may be dead. */
  probe: pool({ connections: 1, statementMillis: undefined, isProbe: true })
}

interface SilentPool {
  readonly applicationName: string
  /** How many of its connections owe a reply and are silent. */
  readonly silent: number
  readonly silenceMillis: number
}

/**
 * How many statements of a pool still run, as a new connection sees it. Of a server that answers with an error it is not
 * known, and any number counts as running; none does on a server that does not answer. Where fewer run than connections
 * are silent, transactions of the pool that wait for their client are ended: they may block those statements.
 */
const runningStatements = ({
  applicationName,
  silent,
  silenceMillis
}: SilentPool): Effect.Effect<number, never, Servers> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A statement that waits for its client has sent all that the connection takes.
    const [row] = yield* sql<{ readonly count: number }>`
      select count(*)::int as count from pg_stat_activity
       where application_name = ${applicationName} and state = 'active' and wait_event_type is distinct from 'Client'`
    if (row!.count < silent) {
      yield* sql`
        select pg_terminate_backend(pid)::text from pg_stat_activity
         where application_name = ${applicationName} and state like 'idle in transaction%'
           and state_change < now() - ${`${silenceMillis} milliseconds`}::interval`
    }
    return row!.count
  }).pipe(
    Effect.provide(Postgres.probe, { local: true }),
    Effect.catch((error) => Effect.succeed(sqlStateOf(error) === undefined ? 0 : Number.POSITIVE_INFINITY))
  )
