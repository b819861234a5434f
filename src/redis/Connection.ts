/** Opens a connection to an address of Redis, and notes why connecting fails. */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { Cluster, Redis as Client } from "ioredis"
import { errorReply } from "./ErrorReply.ts"
import type { RedisAddress } from "./RedisUrl.ts"

/** The server cannot be reached, or refuses the connection. */
export class Unreachable extends Error {}

/** Options that do not depend on the address. */
interface ConnectOptions {
  readonly protocol: 2
  readonly lazyConnect: boolean
  readonly maxRetriesPerRequest: number
  readonly retryStrategy: (times: number) => number
  readonly connectTimeout?: number
  readonly socketTimeout?: number
  readonly keepAlive?: number
  readonly autoResubscribe?: boolean
  readonly keyPrefix?: string
}

interface ConnectionError extends Error {
  readonly code?: string
  /** The command that the server refused. */
  readonly command?: { readonly name: string }
}

/** Time for a Sentinel to answer, milliseconds: then the next one is tried. */
const sentinelMillis = 2000

/**
 * Opens a connection to a server, to the primary that Sentinels name, or to the nodes of a cluster. All accept the same
 * commands; in a cluster all commands of a pipeline are sent to one node.
 */
export const open = (address: RedisAddress, options: ConnectOptions): Client => {
  const { hosts, path, username, password, database, family } = address
  const tls = address.tls && tlsOf(address.tls)
  const own = {
    ...options,
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(family !== undefined && { family }),
    ...(tls !== undefined && { tls }),
    // A primary that became a replica: the next connection finds the new primary.
    reconnectOnError: ({ message }: Error) => errorReply(message).startsWith("READONLY")
  }
  if (address.kind === "cluster") return openCluster(address, own)
  const place = address.kind === "sentinel" ? placeOf(address, options) : path === "" ? { ...hosts[0]! } : { path }
  const client = new Client({ ...own, ...place, db: database, disableClientInfo: true })
  const noted = new ConnectionCause(address, client)
  client.on("error", (error: ConnectionError) => {
    noted.note(error)
    // ioredis would use the database 0.
    if (error.command?.name === "select") client.disconnect(true)
    // While no Sentinel answers, ioredis itself fails no command.
    if (address.kind === "sentinel" && client.status === "connecting") noted.flush(error)
  })
  client.on("sentinelError", (error: Error) => noted.note(error))
  return client
}

const placeOf = (
  { hosts, primary, sentinelUsername, sentinelPassword, tls }: RedisAddress,
  { retryStrategy }: ConnectOptions
) => ({
  sentinels: [...hosts],
  name: primary,
  ...(sentinelUsername !== "" && { sentinelUsername }),
  ...(sentinelPassword !== "" && { sentinelPassword }),
  ...(tls !== undefined && { enableTLSForSentinelMode: true, sentinelTLS: tlsOf(tls) }),
  sentinelRetryStrategy: retryStrategy,
  sentinelCommandTimeout: sentinelMillis
})

const openCluster = (
  address: RedisAddress,
  { retryStrategy, lazyConnect, ...redisOptions }: ConnectOptions
): Client => {
  const cluster = new Cluster([...address.hosts], {
    lazyConnect,
    clusterRetryStrategy: retryStrategy,
    redisOptions: { ...redisOptions, disableClientInfo: true }
  })
  const noted = new ConnectionCause(address, cluster as unknown as Client)
  cluster.on("node error", (error: Error) => noted.note(error))
  // While no node answers, ioredis itself fails no command.
  cluster.on("close", () => noted.flush(new Error("no node of the cluster answers")))
  return cluster as unknown as Client
}

/** The files are read at each connection: certificates are replaced before they expire. */
const tlsOf = (files: NonNullable<RedisAddress["tls"]>): ConnectionOptions => {
  const tls: ConnectionOptions = {}
  for (const [part, file] of Object.entries(files) as ReadonlyArray<readonly [string, string]>) {
    let content = readFileSync(file)
    const read = () => {
      try {
        content = readFileSync(file)
      } catch {
        // It is being replaced, perhaps.
      }
      return content
    }
    Object.defineProperty(tls, part, { enumerable: true, get: read })
  }
  return tls
}

const causes = new WeakMap<Client, ConnectionCause>()

/** Whether the server refused the database that the address names. */
export const isDatabaseRefused = (client: Client): boolean => causes.get(client)?.isDatabaseRefused === true

/** Why the last attempts to connect failed: commands that are given up for it fail with the cause. */
class ConnectionCause {
  isDatabaseRefused = false
  /** Gives up the commands that wait for the connection. */
  readonly flush: (error: Error, options?: object) => void
  private words: string | undefined
  private readonly address: RedisAddress

  constructor(address: RedisAddress, client: Client) {
    this.address = address
    const internals = client as unknown as { flushQueue: ConnectionCause["flush"] }
    const flushQueue = internals.flushQueue.bind(client)
    this.flush = internals.flushQueue = (error, options) =>
      flushQueue(isClosing(error) ? error : this.unreachable(error), options)
    client.on("ready", () => (this.words = undefined))
    causes.set(client, this)
  }

  note(error: ConnectionError): void {
    // The answer of a single Sentinel says more than that none was of use.
    const saysLess = error.message.startsWith("All sentinels") && this.words !== undefined
    if (saysLess || isClosing(error)) return
    this.isDatabaseRefused = error.command?.name === "select" && !tooMany.test(error.message)
    this.words = causeInWords(error, this.address)
  }

  private unreachable(error: Error): Unreachable {
    return new Unreachable(this.words ?? causeInWords(error, this.address), { cause: error })
  }
}

/** Whether we close the connection ourselves. */
const isClosing = ({ message }: Error): boolean => message === "Connection is closed."

const tooMany = /max number of clients/

/** A sentence about the cause for which connecting failed, with the remedy where it is clear. */
const causeInWords = (error: ConnectionError, address: Pick<RedisAddress, "database" | "primary" | "tls">): string =>
  refusal(error, address) ?? `Redis cannot be reached: ${failure(error, address.tls !== undefined)}`

/** The refusal of a server that answers; undefined if it is none. */
const refusal = (
  { message, command }: ConnectionError,
  { database, primary }: Pick<RedisAddress, "database" | "primary">
): string | undefined => {
  if (tooMany.test(message)) return "Redis has as many clients as it takes (maxclients)."
  if (command?.name === "select") return `Redis has no database ${database} for us: ${message}`
  if (/^WRONGPASS|invalid (username-)?password/.test(message)) {
    return `Redis refuses the user name or the password; characters like @ : / ? # % in them must be percent-encoded: ${message}`
  }
  if (message.startsWith("NOAUTH")) return `Redis requires a password: ${message}`
  if (/No such master|got an invalid reply: null/.test(message)) return `The Sentinels have no primary "${primary}".`
  return undefined
}

const failure = ({ name, message, code = "" }: ConnectionError, isEncrypted: boolean): string => {
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(code)) {
    return `TLS: it requires a client certificate (ssl_certfile, ssl_keyfile): ${message}`
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code) || /before secure TLS/.test(message)) {
    return `TLS: it does not speak TLS, which rediss:// requires: ${message}`
  }
  if (/SELF_SIGNED|UNABLE_TO_|ISSUER/.test(code)) {
    return `TLS: the authority of its certificate is unknown (ssl_ca_certs): ${message} (${code})`
  }
  if (/^ERR_(SSL|TLS|OSSL)|CERT/.test(code)) return `TLS: ${message} (${code})`
  if (code === "ECONNRESET" && !isEncrypted) {
    return `${message}, as from a server that requires TLS (rediss://) or has as many clients as it takes (maxclients)`
  }
  if (message.startsWith("failed to connect to sentinel")) return `no Sentinel answers: ${message}`
  if (message === "connect ETIMEDOUT" && isEncrypted) {
    return `${message}, as with a server that does not speak TLS (redis://)`
  }
  if (name !== "MaxRetriesPerRequestError") return message
  const closes = "it closes connections without an answer"
  return isEncrypted ? `${closes}.` : `${closes}, as one that requires TLS does (rediss://).`
}
