/**
 * Connections of clients.
 *
 * Responsible for: how many there are, in all and from one address; how much was written to them that their clients have
 * not read; and that a client that stops reading is let go. Guarantees: idle or silent clients cost a bounded number of
 * descriptors, unread answers a bounded number of bytes, and one address leaves half of both to others. Does not: know
 * senders or requests.
 */
import { type RequestListener, type Server, type ServerOptions, createServer } from "node:http"
import type { Socket } from "node:net"
import { Context, Layer } from "effect"

export const limits = {
  /** Most connections, and most from one address. A proxy has one address for all its clients, and needs few. */
  connections: 4096,
  fromAddress: 2048,
  /** Most bytes that are written and not read yet, of all connections and of those of one address. */
  unread: 256 * 1024 * 1024,
  unreadByAddress: 64 * 1024 * 1024,
  /** Time within which a client must have sent the head of its request, milliseconds. */
  headMillis: 15_000,
  /** Time without a byte after which a connection with unread bytes is closed, milliseconds. */
  unreadMillis: 60_000
}

/** Shorter answers are sent without looking at what is unread, bytes. */
const smallAnswerBytes = 64 * 1024

type Limits = typeof limits

export class Connections extends Context.Service<
  Connections,
  {
    /** A server that keeps to the limits. */
    readonly server: (options: ServerOptions, listener?: RequestListener) => Server
    /** Whether an answer of so many bytes may be written to a client of this address. */
    readonly hasRoom: (address: string | undefined, bytes: number) => boolean
  }
>()("rackwire/http/Connections") {
  static readonly layer = Layer.sync(Connections, () => limitedConnections(limits))
}

export const limitedConnections = (most: Limits): Connections["Service"] => {
  const open = new Map<string, Set<Socket>>()
  const unreadOf = (sockets: Iterable<Socket>): number => {
    let bytes = 0
    for (const socket of sockets) bytes += socket.writableLength
    return bytes
  }
  const took = (socket: Socket): void => {
    const address = socket.remoteAddress ?? ""
    const own = open.get(address) ?? new Set()
    if (own.size >= most.fromAddress) return void socket.destroy()
    open.set(address, own.add(socket))
    socket.once("close", () => {
      own.delete(socket)
      if (own.size === 0 && open.get(address) === own) open.delete(address)
    })
  }
  return Connections.of({
    server: (options, listener) => {
      // Node looks for late heads at intervals, which are 30 s where nothing else is said.
      const heads = { headersTimeout: most.headMillis, connectionsCheckingInterval: most.headMillis / 3 }
      const server = createServer({ ...options, ...heads }, listener)
      server.maxConnections = most.connections
      server.timeout = most.unreadMillis
      // With a listener Node closes no connection itself: one may wait for its answer longer than that.
      server.on("timeout", (socket) => {
        if (socket.writableLength > 0) socket.destroy()
      })
      return server.on("connection", took)
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
