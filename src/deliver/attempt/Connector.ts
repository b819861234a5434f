/**
 * Connections to receivers, to allowed targets only.
 *
 * The policy is checked three times: for an address in the URL, for every address that a name resolves to (only the
 * allowed ones are tried, so the name cannot mean something else a moment later), and for the peer of the socket before
 * its first byte.
 */
import { type LookupAddress, type LookupOptions, promises as dns } from "node:dns"
import type { LookupFunction, Socket } from "node:net"
import { buildConnector } from "undici"
import { type ClientCertificate, contextOf } from "../identity/ClientCertificate.ts"
import { Clients } from "../exchange/Clients.ts"
import { type TargetRules, literalIn, refusal } from "./TargetPolicy.ts"
import { type ProxyRules, isExcepted, openTunnel } from "./Tunnel.ts"

/** Nothing was sent: the policy refuses the target. */
class BlockedTarget extends Error {
  readonly code = "ERR_BLOCKED_TARGET"

  constructor(target: string, why: string) {
    super(`${target} is refused by the target policy: ${why}.`)
  }
}

/** When the steps of making a connection ended, milliseconds after its begin. */
export interface ConnectTimes {
  /** By `performance.now()`. */
  readonly begun: number
  dns?: number
  connect?: number
  tls?: number
}

export type Resolve = (hostname: string, options: LookupOptions) => Promise<ReadonlyArray<LookupAddress>>

export interface ConnectionOptions {
  readonly rules: TargetRules
  /** `authority` gives the CA certificates to trust, in PEM; undefined for the usual ones. */
  readonly tls: {
    readonly rejectUnauthorized?: boolean
    readonly authority?: (() => Promise<string>) | undefined
    /** What a server that asks for a certificate is shown. */
    readonly client?: ClientCertificate | undefined
  }
  readonly timeoutMillis: number
  /** Undefined where receivers are reached directly. */
  readonly proxy?: ProxyRules | undefined
  readonly resolve?: Resolve
}

/** The connections to one webhook's receiver. */
export interface Connections {
  readonly clients: Clients
  /** The times of the connection that was made last. */
  readonly last: () => ConnectTimes | undefined
}

/** Time an unused connection is kept, milliseconds. */
const idleMillis = 10_000

/** Age at which a connection is used for no further request, milliseconds: its name may mean another host by then. */
const ageMillis = 300_000

export const openConnections = (options: ConnectionOptions): Connections => {
  let last: ConnectTimes | undefined
  const connect = makeConnector(options, (times) => (last = times))
  const clients = new Clients(connect, { idleMillis, ageMillis })
  return { clients, last: () => last }
}

/** Oldest version of TLS that is accepted. */
const minVersion = "TLSv1.2"

/**
 * Makes TLS and plain connections. The certificates are read when a TLS connection needs them, and made a context once:
 * for a whole bundle that takes OpenSSL some 20 ms. No session outlives the context, because resuming one checks no
 * certificate.
 */
const secured = (
  { tls: { authority, client, rejectUnauthorized }, timeoutMillis }: ConnectionOptions,
  lookup: LookupFunction
): ((isTls: boolean) => buildConnector.connector | Promise<buildConnector.connector>) => {
  const make = (trust: object) =>
    buildConnector({
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      ...trust,
      allowH2: false,
      timeout: timeoutMillis,
      autoSelectFamily: true,
      lookup
    })
  const usual = make({ minVersion })
  if (authority === undefined && client === undefined) return () => usual
  let made: { readonly pem: string | undefined; readonly connect: buildConnector.connector } | undefined
  const trusting = (pem: string | undefined) => {
    if (made === undefined || made.pem !== pem) {
      const trusted = pem === undefined ? {} : { ca: pem }
      made = { pem, connect: make({ secureContext: contextOf(client, { ...trusted, minVersion }) }) }
    }
    return made.connect
  }
  return (isTls) => (isTls ? Promise.resolve(authority?.()).then(trusting) : usual)
}

const makeConnector = (
  options: ConnectionOptions,
  onConnected: (times: ConnectTimes) => void
): buildConnector.connector => {
  const { rules, proxy } = options
  const allowed = allowedOf(options)
  const lookup: LookupFunction = (hostname, options, answer) => {
    allowed(hostname, options).then(
      (open) => answer(null, [...open]),
      (error: NodeJS.ErrnoException) => answer(error, [])
    )
  }
  const connectorFor = secured(options, lookup)
  return (target, answer) => {
    const literal = literalIn(target.hostname)
    const why = literal === undefined ? undefined : refusal(rules, literal)
    if (why !== undefined) return answer(new BlockedTarget(target.hostname, why), null)
    const begin = (connect: buildConnector.connector) => {
      const times: ConnectTimes = { begun: performance.now() }
      const connected: buildConnector.Callback = (...result) => {
        if (result[0] === null) onConnected(times)
        answer(...result)
      }
      if (proxy === undefined || isExcepted(proxy, target.hostname))
        connectDirectly(connect, target, rules, times, connected)
      else {
        const addressOf = async () => literal ?? (await allowed(target.hostname, { all: true }))[0].address
        connectThrough({ connect, proxy, addressOf, timeoutMillis: options.timeoutMillis }, target, times, connected)
      }
    }
    const connect = connectorFor(target.protocol === "https:")
    if (!(connect instanceof Promise)) return begin(connect)
    connect.then(begin).catch((error: Error) => answer(error, null))
  }
}

type Addresses = readonly [LookupAddress, ...ReadonlyArray<LookupAddress>]

/** Looks a name up; gives the addresses that the policy allows, and rejects with BlockedTarget if it allows none. */
const allowedOf =
  ({ rules, resolve = lookUp }: ConnectionOptions) =>
  async (hostname: string, options: LookupOptions): Promise<Addresses> => {
    const found = await resolve(hostname, options)
    const refused = found.map(({ address }) => refusal(rules, address))
    const [first, ...others] = found.filter((_, at) => refused[at] === undefined)
    if (first !== undefined) return [first, ...others]
    const why = found.map(({ address }, at) => `${address}: ${refused[at]}`).join("; ")
    throw new BlockedTarget(hostname, why === "" ? "it has no address" : why)
  }

const connectDirectly = (
  connect: buildConnector.connector,
  target: buildConnector.Options,
  rules: TargetRules,
  times: ConnectTimes,
  connected: buildConnector.Callback
): void => {
  const since = () => performance.now() - times.begun
  // It returns the socket at once, though its type does not say so.
  const socket = connect(target, connected) as unknown as Socket
  socket.once("lookup", () => (times.dns ??= since()))
  // Before the listener that begins the handshake.
  socket.prependOnceListener("connect", () => {
    times.connect = since()
    const peer = refusal(rules, socket.remoteAddress ?? "")
    if (peer !== undefined) socket.destroy(new BlockedTarget(socket.remoteAddress ?? target.hostname, peer))
  })
  socket.once("secureConnect", () => (times.tls = since()))
}

interface Tunnelled {
  readonly connect: buildConnector.connector
  readonly proxy: ProxyRules
  /** The allowed address that the proxy is asked for. */
  readonly addressOf: () => Promise<string>
  readonly timeoutMillis: number
}

const connectThrough = (
  { connect, proxy, addressOf, timeoutMillis }: Tunnelled,
  target: buildConnector.Options,
  times: ConnectTimes,
  connected: buildConnector.Callback
): void => {
  const since = () => performance.now() - times.begun
  const isSecure = target.protocol === "https:"
  const tunnel = async () => {
    const address = await addressOf()
    times.dns = since()
    const socket = await openTunnel(proxy.url, address, Number(target.port) || (isSecure ? 443 : 80), timeoutMillis)
    times.connect = since()
    return socket
  }
  const secured: buildConnector.Callback = (...result) => {
    times.tls = since()
    connected(...result)
  }
  tunnel().then(
    (socket) => (isSecure ? connect({ ...target, httpSocket: socket }, secured) : connected(null, socket)),
    (error: Error) => connected(error, null)
  )
}

/** Lookups under way, by name. Node's few threads for them belong to the process, and so does this. */
const lookingUp = new Map<string, Promise<ReadonlyArray<LookupAddress>>>()

/** The system's resolver, asked once at a time for each name: a lookup takes one of those threads. */
const lookUp: Resolve = (hostname, options) => {
  const key = `${hostname} ${String(options.family)}`
  const found = lookingUp.get(key) ?? dns.lookup(hostname, { ...options, all: true })
  if (!lookingUp.has(key)) {
    lookingUp.set(key, found)
    const done = () => void lookingUp.delete(key)
    found.then(done, done)
  }
  return found
}
