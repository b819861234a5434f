/** Receivers that mean ill: each takes connections, and answers so that the sender waits, reads or keeps what it can. */
import { readFileSync } from "node:fs"
import { type AddressInfo, type Server, type Socket, createServer } from "node:net"
import { type TlsOptions, createServer as createTlsServer, rootCertificates } from "node:tls"
import { makeCertificate } from "../support/Certificate.ts"
import type { Call } from "../support/Client.ts"

/** How often a receiver that goes on for ever writes, milliseconds. */
const pace = 5

const answerHead = "HTTP/1.1 200 OK\r\n"

/** Writes the parts in turn, again from the first when they end, until the sender closes the connection. */
const forever = (socket: Socket, first: string, part: () => string | Buffer): void => {
  socket.write(first)
  const timer = setInterval(() => {
    if (socket.writableNeedDrain) return
    socket.write(part())
  }, pace)
  socket.once("close", () => clearInterval(timer))
}

const megabyte = Buffer.alloc(1024 * 1024, "x")

/** By name: what it does with a connection, once the first bytes of a request have arrived. */
const manners: Readonly<Record<string, (socket: Socket) => void>> = {
  "answers nothing": () => {},
  "reads nothing": (socket) => socket.pause(),
  "writes its head byte by byte": (socket) => forever(socket, `${answerHead}x-slow: `, () => "a"),
  "writes header lines without end": (socket) => forever(socket, answerHead, () => "x-more: of this\r\n".repeat(1000)),
  "writes a body without end": (socket) => forever(socket, `${answerHead}\r\n`, () => megabyte),
  "writes chunks of one byte": (socket) =>
    forever(socket, `${answerHead}transfer-encoding: chunked\r\n\r\n`, () => "1\r\na\r\n".repeat(10_000)),
  "says continue without end": (socket) => forever(socket, "", () => "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000)),
  "promises a body and closes": (socket) => socket.end(`${answerHead}content-length: 1000000\r\n\r\nabc`),
  "answers what is not HTTP": (socket) => socket.end(Buffer.alloc(20_000, "\u0000\r\n: ")),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "asks to come back after years": (socket) =>
    socket.end("HTTP/1.1 503 Busy\r\nretry-after: 99999999999\r\ncontent-length: 0\r\n\r\n"),
  "leads to itself": (socket) => socket.end("HTTP/1.1 307 Over there\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n")
}

/** Certificates of so many bytes or a little more, in PEM: what a server sends behind its own. */
export const fillers = (bytes: number): string => {
  let text = ""
  for (let at = 0; (text.length * 3) / 4 < bytes; at += 1) text += `${rootCertificates[at]!}\n`
  return text
}

/** By name: what the TLS of a receiver offers, beside its own key and certificate. */
const tlsManners: Readonly<Record<string, TlsOptions & { readonly more?: number }>> = {
  "offers 95 kB of certificates": { more: 95_000 },
  "offers as many certificates as a handshake may have": { more: 13_000 },
  "speaks DHE alone": { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES256-GCM-SHA384", dhparam: "auto" }
}

const tlsServers = (): ReadonlyMap<string, Server> => {
  const { keyFile, certificateFile, remove } = makeCertificate(["rsa", "rsa_keygen_bits:2048"])
  const [key, own] = [readFileSync(keyFile), readFileSync(certificateFile, "utf8")]
  remove()
  const serverOf = ({ more = 0, ...offers }: TlsOptions & { readonly more?: number }) =>
    createTlsServer({ key, cert: `${own}\n${fillers(more)}`, ...offers }, (socket) => {
      socket.on("error", () => {})
      socket.once("data", () => socket.end(`${answerHead}content-length: 0\r\n\r\n`))
    })
  return new Map(Object.entries(tlsManners).map(([name, offers]) => [name, serverOf(offers)]))
}

export interface HostileReceivers {
  /** Address of each, by what it does. */
  readonly urls: ReadonlyMap<string, string>
  /** Connections that each has taken so far. */
  readonly taken: () => ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

/** Starts one of each on loopback. */
export const startHostileReceivers = async (): Promise<HostileReceivers> => {
  const sockets = new Set<Socket>()
  const servers: Array<Server> = []
  const urls = new Map<string, string>()
  const taken = new Map<string, number>()
  const start = async (name: string, scheme: string, server: Server) => {
    taken.set(name, 0)
    server.on("connection", (socket: Socket) => {
      taken.set(name, taken.get(name)! + 1)
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      socket.on("error", () => {})
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    urls.set(name, `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  }
  for (const [name, behave] of Object.entries(manners)) {
    const server = createServer((socket) => {
      socket.once("data", () => behave(socket))
      socket.resume()
    })
    await start(name, "http", server)
  }
  for (const [name, server] of tlsServers()) await start(name, "https", server)
  const close = async () => {
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
  }
  return { urls, taken: () => taken, close }
}

/**
 * Makes a webhook at each receiver for every change of these types. Its body has 200,000 characters, so that a receiver
 * that reads nothing leaves some of them with the sender.
 */
export const attackFrom = async (
  { urls }: HostileReceivers,
  call: Call,
  types: ReadonlyArray<string>
): Promise<void> => {
  const webhooks = Array.from(urls, ([name, url]) => ({
    ...{ name, content_types: types, payload_url: url, body_template: '{{ data.id }}{{ "x" * 200000 }}' },
    ...{ type_create: true, type_update: true, type_delete: true, ssl_verification: false }
  }))
  const made = await call("POST", "/api/extras/webhooks/", webhooks)
  if (made.status !== 201) throw new Error(made.text)
}
