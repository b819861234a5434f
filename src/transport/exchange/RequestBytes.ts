/** A request as the bytes of HTTP/1.1. Pure. */
import { isHeaderName, isHeaderValue } from "../HeaderSyntax.ts"
import type { Outgoing } from "../Outgoing.ts"

/** The target of a request, as a URL has it. */
export interface Place {
  readonly url: string
  readonly origin: string
  readonly protocol: string
  /** With its port, unless that is the usual one. */
  readonly host: string
  /** An IPv6 address without brackets. */
  readonly hostname: string
  readonly port: string
  /** With its query. */
  readonly path: string
}

const readPlace = (url: string): Place => {
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url)
  return { url, origin, protocol, host, hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search }
}

/** The last that was read: most webhooks send to one address. */
let last: Place | undefined

export const placeOf = (url: string): Place => {
  if (last?.url !== url) last = readPlace(url)
  return last
}

/** The request cannot be carried by HTTP. */
class NoRequest extends Error {
  readonly code = "ERR_NO_REQUEST"
}

/** Most bytes of a body that is copied behind its headers; a longer one is written by itself. */
const joinedBytesMax = 64 * 1024

/** Names of headers that were checked, since every request has the same ones. */
const knownNames = new Set<string>()
const knownNamesMax = 1000

const isName = (name: string): boolean => {
  if (knownNames.has(name)) return true
  if (!isHeaderName(name)) return false
  if (knownNames.size < knownNamesMax) knownNames.add(name)
  return true
}

/** The parts to write one after the other. Throws `NoRequest`. */
export const bytesOf = (
  { method, headers, body }: Pick<Outgoing, "method" | "headers" | "body">,
  { host, path }: Place
): ReadonlyArray<Buffer> => {
  const asked = headers["host"] ?? host
  if (!isHeaderValue(asked)) throw new NoRequest("HTTP cannot carry the header host.")
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${asked}\r\nconnection: keep-alive\r\n`
  for (const name in headers) {
    if (name === "host") continue
    const value = headers[name]!
    if (!isName(name) || !isHeaderValue(value)) throw new NoRequest(`HTTP cannot carry the header ${name}.`)
    head += `${name}: ${value}\r\n`
  }
  // A method that expects no body is sent without Content-Length if its body is empty.
  if (body.length > 0 || (method !== "GET" && method !== "DELETE")) head += `content-length: ${body.length}\r\n`
  head += "\r\n"
  if (body.length > joinedBytesMax) return [Buffer.from(head, "latin1"), body]
  const bytes = Buffer.allocUnsafe(head.length + body.length)
  bytes.write(head, "latin1")
  body.copy(bytes, head.length)
  return [bytes]
}
