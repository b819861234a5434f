/**
 * Connections of clients.
 *
 * Responsible for: how many there are, in all and of one client; how much was written to them that their clients have
 * not read; and that a client that stops reading is disconnected. Guarantees: idle or silent clients cost a bounded number of
 * descriptors, unread answers a bounded number of bytes, and one client leaves a part of both to others. Does not: know
 * users or requests.
 */
import { type RequestListener, type Server, type ServerOptions, createServer } from "node:http"
import type { Socket } from "node:net"
import { Context, Effect, Layer } from "effect"
import { networkOf } from "../auth/Attempts.ts"
import { Settings } from "../Config.ts"
import { parseIpNetwork } from "../inventory/field/Networks.ts"
import { processLimits } from "../limit/ProcessLimits.ts"
import type { Shares } from "../limit/Shares.ts"
import { OptionRefused } from "../Setting.ts"
import { isProxy } from "./wire/Origin.ts"

export const limits = {
  /** Most bytes that are written and not read yet, of all connections and of those of one address. */
  unread: 256 * 1024 * 1024,
  unreadByAddress: 64 * 1024 * 1024,
  /** Time within which a client must have sent the head of its request, milliseconds. */
  headMillis: 15_000,
  /** Time without a byte after which a connection with unread bytes is closed, milliseconds. */
  unreadMillis: 60_000
}

/** Shorter answers are sent without a check of what is unread, bytes. */
const smallAnswerBytes = 64 * 1024

type Limits = typeof limits

/** The networks of the proxies whose headers are trusted. */
export const trustedProxies = Effect.gen(function* () {
  return yield* Effect.forEach((yield* Settings).trustedProxies, (text) => {
    const network = parseIpNetwork(text)
    return network === undefined
      ? Effect.fail(new OptionRefused({ message: `TRUSTED_PROXIES: ${text} is no network` }))
      : Effect.succeed(network)
  })
})

export class Connections extends Context.Service<
  Connections,
  {
    /** A server that keeps to the limits. */
    readonly server: (options: ServerOptions, listener?: RequestListener) => Server
    /** Whether an answer of so many bytes may be written to a client of this address. */
    readonly hasRoom: (address: string | undefined, bytes: number) => boolean
  }
>()("rackwire/http/Connections") {
  /** Fails if a network of TRUSTED_PROXIES cannot be read. */
  static readonly layer = Layer.effect(
    Connections,
    Effect.map(trustedProxies, (proxies) =>
      limitedConnections(limits, (address) => (isProxy(address, proxies) ? undefined : networkOf(address)))
    )
  )
}

/** The share of the connections that all trusted proxies are counted in. */
const proxies = "proxies"

/**
 * `clientOf` names the client that has a share of the connections, by its address; undefined for a trusted proxy. A proxy
 * represents many clients: the limit of the process is its only one.
 */
export const limitedConnections = (
  most: Limits,
  clientOf: (address: string) => string | undefined,
  incoming: Shares<string> = processLimits.incoming
): Connections["Service"] => {
  const open = new Map<string, Set<Socket>>()
  const unreadOf = (sockets: Iterable<Socket>): number => {
    let bytes = 0
    for (const socket of sockets) bytes += socket.writableLength
    return bytes
  }
  const took = (socket: Socket): void => {
    const address = socket.remoteAddress ?? ""
    const client = clientOf(address)
    const room = client === undefined ? incoming.free : incoming.room(client)
    // Without an answer: a client with that many connections reads none.
    if (room <= 0) return void socket.destroy()
    incoming.change(client ?? proxies, 1)
    const own = open.get(address) ?? new Set()
    open.set(address, own.add(socket))
    socket.once("close", () => {
      incoming.change(client ?? proxies, -1)
      own.delete(socket)
      if (own.size === 0 && open.get(address) === own) open.delete(address)
    })
  }
  return Connections.of({
    server: (options, listener) => {
      // Node checks for late heads at intervals, by default of 30 s.
      const heads = { headersTimeout: most.headMillis, connectionsCheckingInterval: most.headMillis / 3 }
      const server = createServer({ ...options, ...heads }, listener)
      server.timeout = most.unreadMillis
      // With a listener Node closes no connection itself: one may wait for its answer longer than that.
      server.on("timeout", (socket) => {
        if (socket.writableLength > 0) socket.destroy()
      })
      return server
        .on("connection", took)
        .on("clientError", (error, socket) => refuseUnread(error, socket as Unanswered))
    },
    hasRoom: (address = "", bytes) => {
      if (bytes <= smallAnswerBytes) return true
      const own = unreadOf(open.get(address) ?? [])
      if (own + bytes > most.unreadByAddress && own > 0) return false
      let all = 0
      for (const sockets of open.values()) all += unreadOf(sockets)
      return all + bytes <= most.unread || all === 0
    }
  })
}

/** Answers by Node's code of a request that could not be read. */
const unread: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "The first line and the headers of the request have more than 16 KiB. Send fewer filters or cookies: a long list of ids can be split over several requests."
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The chunks of the body have extensions that are too long."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."]
}

const malformed = ["400 Bad Request", "The request is no HTTP/1.1."] as const

/** A connection with the answer that Node writes to it, under the name that Node gives it. */
type Unanswered = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } }

/** Says in words why a request was not read, where nothing of another answer is on its way, and closes the connection. */
const refuseUnread = (error: NodeJS.ErrnoException, socket: Unanswered): void => {
  if (!socket.writable || socket._httpMessage?.headersSent === true || error.code === "ECONNRESET")
    return void socket.destroy(error)
  const [status, detail] = unread[error.code ?? ""] ?? malformed
  const body = JSON.stringify({ detail })
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`${head}\r\n\r\n${body}`)
  socket.destroySoon()
}
