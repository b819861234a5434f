/**
 * Connections to receivers, to allowed targets only.
 *
 * The policy is checked three times: for an address in the URL, for every address that a name resolves to (only the
 * allowed ones are tried, so the name cannot mean something else a moment later), and for the peer of the socket before
 * its first byte.
 */
import type { LookupAddress, LookupOptions } from "node:dns"
import type { LookupFunction, Socket } from "node:net"
import type { SecureContext } from "node:tls"
import { buildConnector } from "undici"
import { processLimits } from "../limit/ProcessLimits.ts"
import { type ClientCertificate, contextOf } from "./certificate/ClientCertificate.ts"
import { Clients } from "./exchange/Clients.ts"
import { HandshakeGuard } from "./HandshakeGuard.ts"
import { type Resolve, lookups } from "./Lookups.ts"
import { type TargetRules, literalIn, refusal } from "./TargetPolicy.ts"
import { usualContext } from "./TlsOptions.ts"
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

export interface ConnectionOptions {
  /** The webhook that they belong to: limits of the process are shared fairly between webhooks. */
  readonly webhook: number
  readonly rules: TargetRules
  /** `authority` gives the CA certificates to trust, in PEM; undefined for the usual ones. */
  readonly tls: {
    readonly rejectUnauthorized?: boolean
    readonly authority?: (() => Promise<string>) | undefined
    /** Certificate for a server that requests one. */
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
  const keeping = { webhook: options.webhook, idle: processLimits.idle }
  const clients = new Clients(connect, { idleMillis, ageMillis }, keeping)
  return { clients, last: () => last }
}

/** Makes TLS of a connection that is open. */
type Secure = (target: buildConnector.Options, socket: Socket, answer: buildConnector.Callback) => void

/**
 * Makes TLS of connections. The certificates are read when a TLS connection needs them, and made a context once: for a
 * whole bundle that takes OpenSSL some 20 ms. No session outlives the context, because resuming one checks no
 * certificate.
 */
const securedBy = (options: ConnectionOptions): (() => Promise<Secure> | Secure) => {
  const { authority, client, rejectUnauthorized } = options.tls
  const make = (secureContext: SecureContext): Secure => {
    const connect = buildConnector({
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      secureContext,
      allowH2: false,
      timeout: options.timeoutMillis
    })
    return (target, socket, answer) => {
      const guard = new HandshakeGuard(socket, options)
      // TLS takes any stream, though undici's type does not say so.
      connect({ ...target, httpSocket: guard as unknown as Socket }, (...result) => {
        guard.done()
        if (result[0] === null) answer(...result)
        else answer(guard.fault ?? result[0], null)
      })
    }
  }
  if (authority === undefined && client === undefined) {
    let usual: Secure | undefined
    return () => (usual ??= make(usualContext()))
  }
  let made: { readonly pem: string | undefined; readonly secure: Secure } | undefined
  const trusting = (pem: string | undefined) => {
    if (made === undefined || made.pem !== pem) {
      made = { pem, secure: make(contextOf(client, pem === undefined ? {} : { ca: pem })) }
    }
    return made.secure
  }
  return () => Promise.resolve(authority?.()).then(trusting)
}

/** Connects to allowed targets alone; `onConnected` gets the times of each connection. */
export const makeConnector = (
  options: ConnectionOptions,
  onConnected: (times: ConnectTimes) => void = () => {}
): buildConnector.connector => {
  const { rules, proxy, timeoutMillis } = options
  const allowed = allowedOf(options)
  const lookup = lookupBy(allowed)
  const open = buildConnector({ allowH2: false, timeout: timeoutMillis, autoSelectFamily: true, lookup })
  // The proxy is the operator's: the policy does not concern it.
  const lookupProxy = lookupBy(resolveOf(options))
  const secured = securedBy(options)
  return (target, answer) => {
    const literal = literalIn(target.hostname)
    const why = literal === undefined ? undefined : refusal(rules, literal)
    if (why !== undefined) return answer(new BlockedTarget(target.hostname, why), null)
    const isSecure = target.protocol === "https:"
    const port = target.port || (isSecure ? "443" : "80")
    const begin = (secure: Secure | undefined) => {
      const times: ConnectTimes = { begun: performance.now() }
      const connected: buildConnector.Callback = (...result) => {
        if (result[0] === null) onConnected(times)
        answer(...result)
      }
      const opened: buildConnector.Callback = (...[error, socket]) => {
        if (error !== null) return answer(error, null)
        times.connect = performance.now() - times.begun
        if (secure === undefined) return connected(null, socket)
        secure(target, socket, (...result) => {
          times.tls = performance.now() - times.begun
          connected(...result)
        })
      }
      if (proxy === undefined || isExcepted(proxy, target.hostname))
        openDirectly(open, { ...target, port }, rules, times, opened)
      else {
        const addressOf = async () => literal ?? (await allowed(target.hostname, { all: true }))[0].address
        openThrough({ proxy, addressOf, timeoutMillis, lookup: lookupProxy }, Number(port), times, opened)
      }
    }
    if (!isSecure) return begin(undefined)
    const secure = secured()
    if (!(secure instanceof Promise)) return begin(secure)
    secure.then(begin).catch((error: Error) => answer(error, null))
  }
}

/** The lookup function of Node's connections. */
const lookupBy =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, answer) => {
    resolve(hostname, options).then(
      (found) => answer(null, [...found]),
      (error: NodeJS.ErrnoException) => answer(error, [])
    )
  }

const resolveOf = ({ webhook, resolve }: ConnectionOptions): Resolve =>
  resolve ?? ((hostname, options) => lookups.resolve(webhook, hostname, options))

type Addresses = readonly [LookupAddress, ...ReadonlyArray<LookupAddress>]

/** Resolves a name to the addresses that the policy allows, and rejects with BlockedTarget if it allows none. */
const allowedOf = (connection: ConnectionOptions) => {
  const { rules } = connection
  const resolve = resolveOf(connection)
  return async (hostname: string, options: LookupOptions): Promise<Addresses> => {
    const found = await resolve(hostname, options)
    const refused = found.map(({ address }) => refusal(rules, address))
    const [first, ...others] = found.filter((_, at) => refused[at] === undefined)
    if (first !== undefined) return [first, ...others]
    const why = found.map(({ address }, at) => `${address}: ${refused[at]}`).join("; ")
    throw new BlockedTarget(hostname, why === "" ? "it has no address" : why)
  }
}

const openDirectly = (
  open: buildConnector.connector,
  { host, hostname, port }: buildConnector.Options,
  rules: TargetRules,
  times: ConnectTimes,
  opened: buildConnector.Callback
): void => {
  // It returns the socket at once, though its type does not say so.
  const socket = open({ protocol: "http:", host: host!, hostname, port }, (...[error]) => {
    if (error !== null) return opened(error, null)
    const peer = refusal(rules, socket.remoteAddress ?? "")
    if (peer === undefined) return opened(null, socket)
    opened(new BlockedTarget(socket.remoteAddress ?? hostname, peer), null)
    socket.destroy()
  }) as unknown as Socket
  socket.once("lookup", () => (times.dns ??= performance.now() - times.begun))
}

interface TunnelOptions {
  readonly proxy: ProxyRules
  /** The allowed address that the proxy connects to. */
  readonly addressOf: () => Promise<string>
  readonly timeoutMillis: number
  /** Finds the proxy. */
  readonly lookup: LookupFunction
}

const openThrough = (
  { proxy, addressOf, timeoutMillis, lookup }: TunnelOptions,
  port: number,
  times: ConnectTimes,
  opened: buildConnector.Callback
): void => {
  const tunnel = async () => {
    const address = await addressOf()
    times.dns = performance.now() - times.begun
    return openTunnel(proxy, { address, port }, { timeoutMillis, lookup })
  }
  tunnel().then(
    (socket) => opened(null, socket),
    (error: Error) => opened(error, null)
  )
}
