/**
 * Connections to receivers, to allowed targets only.
 *
 * The policy is asked three times: for an address that stands in the URL, for every address that a name resolves to
 * (only the allowed ones are tried, so the name cannot mean something else a moment later), and for the peer of the
 * socket before the first byte is sent on it.
 */
import { type LookupAddress, type LookupOptions, promises as dns } from "node:dns"
import type { LookupFunction, Socket } from "node:net"
import { createSecureContext } from "node:tls"
import { Agent, buildConnector } from "undici"
import { type TargetRules, literalIn, refusal } from "./TargetPolicy.ts"
import { type ProxyRules, isExcepted, openTunnel } from "./Tunnel.ts"

/** Nothing was sent: the policy refuses the target. */
export class BlockedTarget extends Error {
  readonly code = "ERR_BLOCKED_TARGET"

  constructor(target: string, why: string) {
    super(`${target} is refused by the target policy: ${why}.`)
  }
}

/** When the steps of a connection were done, milliseconds after it was begun. */
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
  readonly tls: { readonly rejectUnauthorized?: boolean; readonly authority?: (() => Promise<string>) | undefined }
  /** Most connections at the same time. */
  readonly count: number
  readonly timeoutMillis: number
  /** Undefined where receivers are reached directly. */
  readonly proxy?: ProxyRules | undefined
  readonly resolve?: Resolve
}

/** The connections to one webhook's receiver. */
export interface Connections {
  readonly agent: Agent
  /** The one that was made last. */
  readonly last: () => ConnectTimes | undefined
}

/** Time an unused connection is kept, milliseconds. */
const keepAliveMillis = 10_000

/** Age at which a connection is used for no further request, milliseconds: its name may mean another place by then. */
const ageMax = 300_000

/** Most bytes of the headers of an answer. */
const headersSizeMax = 16 * 1024

/** Most bytes that are parsed at once. */
const pieceSizeMax = 4096

/**
 * Gives what was received to the parser in small pieces, and nothing of a connection that was given up. The parser goes
 * on to the end of a piece and makes an error, stack and all, of every header beyond the limit: of 64 KiB of small ones
 * that took a third of a second.
 */
const inPieces = (socket: Socket): void => {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    if (socket.destroyed) return null
    return read(size ?? (socket.readableLength > pieceSizeMax ? pieceSizeMax : undefined)) as unknown
  }
}

export const openConnections = (options: ConnectionOptions): Connections => {
  let last: ConnectTimes | undefined
  const agent = new Agent({
    connections: options.count,
    keepAliveTimeout: keepAliveMillis,
    keepAliveMaxTimeout: keepAliveMillis,
    clientTtl: ageMax,
    maxHeaderSize: headersSizeMax,
    allowH2: false,
    connect: makeConnector(options, (times) => (last = times))
  })
  return { agent, last: () => last }
}

/** Oldest TLS that is spoken. */
const minVersion = "TLSv1.2"

/**
 * Makes TLS and plain connections. The certificates are read when a TLS connection needs them, and made a context once:
 * for a whole bundle that takes OpenSSL some 20 ms. No session outlives the context, because resuming one checks no
 * certificate.
 */
const secured = (
  { tls: { authority, rejectUnauthorized }, timeoutMillis }: ConnectionOptions,
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
  if (authority === undefined) return () => usual
  let made: { readonly pem: string; readonly connect: buildConnector.connector } | undefined
  const trusting = (pem: string) => {
    if (made?.pem !== pem)
      made = { pem, connect: make({ secureContext: createSecureContext({ ca: pem, minVersion }) }) }
    return made.connect
  }
  return (isTls) => (isTls ? authority().then(trusting) : usual)
}

const makeConnector = (
  options: ConnectionOptions,
  onConnected: (times: ConnectTimes) => void
): buildConnector.connector => {
  const { rules, timeoutMillis, proxy, resolve = lookUp } = options
  const allowed = async (hostname: string, options: LookupOptions): Promise<ReadonlyArray<LookupAddress>> => {
    const found = await resolve(hostname, options)
    const refused = found.map(({ address }) => refusal(rules, address))
    const open = found.filter((_, at) => refused[at] === undefined)
    if (open.length > 0) return open
    const why = found.map(({ address }, at) => `${address}: ${refused[at]}`).join("; ")
    throw new BlockedTarget(hostname, why === "" ? "it has no address" : why)
  }
  const lookup: LookupFunction = (hostname, options, answer) => {
    allowed(hostname, options).then(
      (open) => answer(null, [...open]),
      (error: NodeJS.ErrnoException) => answer(error, [])
    )
  }
  const connectorFor = secured(options, lookup)
  const begin = (
    connect: buildConnector.connector,
    options: buildConnector.Options,
    literal: string | undefined,
    answer: buildConnector.Callback
  ) => {
    const times: ConnectTimes = { begun: performance.now() }
    const since = () => performance.now() - times.begun
    if (proxy !== undefined && !isExcepted(proxy, options.hostname)) {
      const tunnel = async () => {
        const address = literal ?? (await allowed(options.hostname, { all: true }))[0]!.address
        times.dns = since()
        const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80)
        const socket = await openTunnel(proxy.url, address, port, timeoutMillis)
        times.connect = since()
        return socket
      }
      const connected: buildConnector.Callback = (...result) => {
        if (result[0] === null) {
          inPieces(result[1])
          onConnected(times)
        }
        if (options.protocol === "https:") times.tls = since()
        answer(...result)
      }
      tunnel().then(
        (socket) =>
          options.protocol === "https:"
            ? connect({ ...options, httpSocket: socket }, connected)
            : connected(null, socket),
        (error: Error) => answer(error, null)
      )
      return
    }
    // It answers the socket at once, though its type does not say so.
    const socket = connect(options, (...result) => {
      if (result[0] === null) {
        inPieces(result[1])
        onConnected(times)
      }
      answer(...result)
    }) as unknown as Socket
    socket.once("lookup", () => (times.dns ??= since()))
    // Before the listener that begins the handshake.
    socket.prependOnceListener("connect", () => {
      times.connect = since()
      const peer = refusal(rules, socket.remoteAddress ?? "")
      if (peer !== undefined) socket.destroy(new BlockedTarget(socket.remoteAddress ?? options.hostname, peer))
    })
    socket.once("secureConnect", () => (times.tls = since()))
  }
  return (options, answer) => {
    const literal = literalIn(options.hostname)
    const why = literal === undefined ? undefined : refusal(rules, literal)
    if (why !== undefined) return answer(new BlockedTarget(options.hostname, why), null)
    const connect = connectorFor(options.protocol === "https:")
    if (!(connect instanceof Promise)) return begin(connect, options, literal, answer)
    connect.then((ready) => begin(ready, options, literal, answer)).catch((error: Error) => answer(error, null))
  }
}

const lookingUp = new Map<string, Promise<ReadonlyArray<LookupAddress>>>()

/** The system's resolver. A name is looked up once at a time: it takes one of the few threads of the process. */
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
