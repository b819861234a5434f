/**
 * The address by which a client reached the service, and the client's own address. The only reader of `Host` and of the
 * `X-Forwarded-*` headers.
 */
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option, Result } from "effect"
import { Headers, type HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import type { Settings } from "../../Config.ts"
import { HttpRefused } from "../HttpRefused.ts"

type Incoming = HttpServerRequest.HttpServerRequest

/** The service as a client sees it. */
export interface Origin {
  /** `https://inventory.example`: URLs in answers begin with it. */
  readonly base: string
  /** The path of `base`, under which a proxy publishes the service; "" for none (publish/BasePath.ts). */
  readonly path: string
  /** The host and port that the client requested. */
  readonly host: string
  /** Whether the client uses TLS, to us or to a proxy. */
  readonly isSecure: boolean
  /** Whether the known address is the client's own, not a proxy's. */
  readonly isClientKnown: boolean
  /** Whether a trusted proxy sent the request. */
  readonly isProxied: boolean
}

/** A request with the client's address, host and scheme as trusted proxies report them. */
export interface Forwarded {
  readonly incoming: Incoming
  readonly isClientKnown: boolean
  readonly isProxied: boolean
}

/** Headers that a proxy adds. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via", "x-real-ip"]

/** Whether it is the address of a proxy in these networks. */
export const isProxy = (address: string, proxies: ReadonlyArray<IpNetwork.IpNetwork>): boolean => {
  const parsed = proxies.length === 0 ? undefined : addressIn(address)
  return parsed !== undefined && proxies.some((network) => IpNetwork.contains(network, parsed))
}

/** Applies the headers of proxies in these networks; ignores those of other senders. */
export const forwarded = (incoming: Incoming, proxies: ReadonlyArray<IpNetwork.IpNetwork>): Forwarded => {
  const { headers, peerAddress } = incoming
  const isTrusted = (address: NetAddress.IpAddress | undefined) =>
    address !== undefined && proxies.some((network) => IpNetwork.contains(network, address))
  if (proxies.length === 0 || !isTrusted(addressIn(Option.getOrUndefined(peerAddress)))) {
    // A proxy without settings names no client, but nginx then speaks HTTP/1.0.
    const isOld = toIncomingMessage(incoming).httpVersion === "1.0"
    const isClientKnown = !isOld && proxyHeaders.every((name) => headers[name] === undefined)
    return { incoming, isClientKnown, isProxied: false }
  }
  const hops = listed(headers["x-forwarded-for"]).map(addressIn)
  // Each proxy appends the address of its client, so the last address that is not a proxy is the client.
  const found = hops.findLastIndex((address, at) => at === 0 || !isTrusted(address))
  const client = hops[found]
  const distance = client === undefined ? 0 : hops.length - 1 - found
  const host = valueAt(headers["x-forwarded-host"], distance)
  const protocol = valueAt(headers["x-forwarded-proto"], distance)?.toLowerCase()
  const told = incoming.modify({
    peerAddress,
    ...(client !== undefined && { remoteAddress: Option.some(NetAddress.formatIp(client)) }),
    ...(host !== undefined && { headers: Headers.set(headers, "host", host) }),
    ...((protocol === "http" || protocol === "https") && { protocol })
  })
  return { incoming: told, isClientKnown: client !== undefined, isProxied: true }
}

const listed = (header: string | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : header.split(",").map((part) => part.trim())

/** The value that the proxy at this distance added; if there are fewer values, the first, which is the oldest. */
const valueAt = (header: string | undefined, distance: number): string | undefined => {
  const values = listed(header)
  return values.at(-1 - distance) ?? values[0]
}

/** An address as proxies write it: IPv6 in brackets, or with a port. */
const addressIn = (text: string | undefined): NetAddress.IpAddress | undefined => {
  if (text === undefined) return undefined
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text
  const address = Result.getOrUndefined(NetAddress.ipFromString(bare))
  if (address !== undefined) return NetAddress.toCanonical(address)
  const withPort = Result.getOrUndefined(NetAddress.inetAddressFromString(text))
  return withPort === undefined ? undefined : NetAddress.toCanonical(withPort.address)
}

/** The address of the client; undefined if only a proxy's is known. */
export const clientOf = (incoming: Incoming, { isClientKnown }: Origin): NetAddress.IpAddress | undefined =>
  isClientKnown ? addressIn(Option.getOrUndefined(incoming.remoteAddress)?.replace(/%.*/, "")) : undefined

/** Most characters of a host with its port. */
const hostCharsMax = 261

const hostPattern = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i

const isHost = (text: string): boolean =>
  text.length <= hostCharsMax && hostPattern.test(text) && URL.canParse(`http://${text}`)

/** The origin of a request. Fails with 400 if its `Host` is not a host. */
export const originOf = (
  { incoming, isClientKnown, isProxied }: Forwarded,
  { baseUrl, host: listening, port }: Settings["Service"],
  path: string
): Effect.Effect<Origin, HttpRefused> => {
  // Clients of HTTP/1.0 may leave it out.
  const host = incoming.headers["host"] ?? `${listening.includes(":") ? `[${listening}]` : listening}:${port}`
  if (!isHost(host)) {
    const detail = `The Host header must be a name or an IP address, and a port up to 65535 if there is one; it is "${host.slice(0, hostCharsMax)}".`
    return Effect.fail(new HttpRefused({ reason: "InvalidHost", body: { detail } }))
  }
  const base = baseUrl ?? `${incoming.protocol ?? "http"}://${host}`
  const isSecure = incoming.protocol === "https" || isTls(baseUrl)
  return Effect.succeed({ base, path, host, isSecure, isClientKnown, isProxied })
}

export const isTls = (baseUrl: string | undefined): boolean => baseUrl?.startsWith("https:") === true

/** Whether one of our own pages sent a request with this header `Origin`. */
export const isOurs = (header: string, { base, host, isSecure }: Origin): boolean => {
  if (!URL.canParse(header)) return false
  const sender = new URL(header)
  // An untrusted proxy may use TLS without our knowledge, but no proxy turns https into http.
  if (isSecure && sender.protocol !== "https:") return false
  return [base, `${sender.protocol}//${host}`].some((ours) => URL.canParse(ours) && new URL(ours).host === sender.host)
}
