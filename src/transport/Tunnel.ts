/**
 * Connections through an HTTP proxy.
 *
 * The proxy gets a request to connect to an address, never to a name: the target policy has allowed that address, and the
 * proxy might resolve the name to another one. TLS is between the receiver and Rackwire, inside the tunnel.
 */
import { request } from "node:http"
import { type LookupFunction, type Socket, connect, isIP, isIPv6 } from "node:net"
import { connect as connectTls } from "node:tls"
import { HandshakeGuard } from "./HandshakeGuard.ts"
import { usualContext } from "./TlsOptions.ts"

export interface ProxyRules {
  /** `http:` or `https:`; a user name and password in it are sent to the proxy. */
  readonly url: URL
  /** Hosts that are reached without it; one that begins with a dot means all names that end so. */
  readonly except: ReadonlyArray<string>
}

/** The proxy gave no connection. That says nothing about the receiver. */
class ProxyFailed extends Error {
  readonly code = "ERR_PROXY"

  constructor(proxy: URL, why: string) {
    super(`The proxy ${proxy.host} gave no connection: ${why}`)
  }
}

export const isExcepted = ({ except }: ProxyRules, hostname: string): boolean =>
  except.some((each) => (each.startsWith(".") ? `.${hostname}`.endsWith(each) : each === hostname || each === "*"))

/** Returns the fault of the address of a proxy, or undefined. */
export const proxyProblem = (text: string): string | undefined => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === ""
    ? undefined
    : "must read http://host:port or https://host:port, with user:password@ before the host where it wants them"
}

/** A connection to the proxy, and why its guard ended it. */
interface ProxyConnection {
  readonly socket: Socket
  readonly fault: () => Error | undefined
}

const connectTo = (proxy: ProxyRules, lookup: LookupFunction): ProxyConnection => {
  const { protocol, hostname, port } = proxy.url
  const host = hostname.replace(/^\[|\]$/g, "")
  const isSecure = protocol === "https:"
  const plain = connect({ host, port: Number(port) || (isSecure ? 443 : 80), autoSelectFamily: true, lookup })
  if (!isSecure) return { socket: plain, fault: () => undefined }
  const guard = new HandshakeGuard(plain, proxy)
  const servername = isIP(host) === 0 ? host : ""
  const socket = connectTls({ socket: guard, host, servername, secureContext: usualContext() })
  socket.once("secureConnect", () => guard.done())
  return { socket, fault: () => guard.fault }
}

/** A connection to the address, through the proxy. */
export const openTunnel = (
  rules: ProxyRules,
  { address, port }: { readonly address: string; readonly port: number },
  { timeoutMillis, lookup }: { readonly timeoutMillis: number; readonly lookup: LookupFunction }
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { url: proxy } = rules
    const failed = (why: string) => reject(new ProxyFailed(proxy, why))
    const target = `${isIPv6(address) ? `[${address}]` : address}:${port}`
    const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
    const { socket, fault } = connectTo(rules, lookup)
    const asking = request({
      createConnection: () => socket,
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(credentials !== ":" && { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` })
      }
    })
    asking.setTimeout(timeoutMillis, () => asking.destroy(new Error("it did not answer in time")))
    asking.on("connect", ({ statusCode }, socket: Socket, head) => {
      socket.setTimeout(0)
      if (statusCode === 200 && head.length === 0) return resolve(socket)
      socket.destroy()
      failed(`it answered ${statusCode}`)
    })
    asking.on("response", (response) => {
      response.destroy()
      failed(`it answered ${response.statusCode}`)
    })
    asking.on("error", ({ message }) => failed(fault()?.message ?? message))
    asking.end()
  })
