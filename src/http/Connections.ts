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
