/**
 * Kept connections to the receivers of one webhook, each for one request at a time. A request takes the connection that
 * was used last, or a new one: how many requests there are at a time is the caller's to limit.
 */
import { isIP } from "node:net"
import type { buildConnector } from "undici"
import type { Shares } from "../../limit/Shares.ts"
import { Connection, type Sending, type Times } from "./Connection.ts"
import type { Exchange } from "./Exchange.ts"
import type { Outgoing } from "../Outgoing.ts"
import { type Place, bytesOf, placeOf } from "./RequestBytes.ts"

/** The webhook of the connections, and how many connections the process keeps without a request. */
interface Keeping {
  readonly webhook: number
  readonly idle: Shares<number>
}

export class Clients {
  private readonly connect: buildConnector.connector
  private readonly times: Times
  private readonly keeping: Keeping
  private readonly all = new Set<Connection>()
  /** Connections without a request, by key; the one that was used last is last. */
  private readonly free = new Map<string, Array<Connection>>()
  /** Connections that carry a request, for the next turn of the event loop. */
  private carrying: Array<Connection> = []
  /** Begin of the last turn of the event loop that is known to be over, by `performance.now()`. */
  private turnBegan = Number.NEGATIVE_INFINITY
  private isClosed = false
  /** Resolvers of `none`. */
  private readonly waiting: Array<() => void> = []

  constructor(connect: buildConnector.connector, times: Times, keeping: Keeping) {
    this.connect = connect
    this.times = times
    this.keeping = keeping
  }

  /** Throws if HTTP cannot carry the request, or after the end. */
  dispatch(outgoing: Outgoing, exchange: Exchange): void {
    if (this.isClosed) throw closed()
    const place = placeOf(outgoing.url)
    this.send(targetOf(place, outgoing.headers["host"]), { exchange, bytes: bytesOf(outgoing, place) })
  }

  /** Ends when the requests under way have. */
  close(): Promise<void> {
    this.isClosed = true
    for (const connection of this.all) if (connection.isFree) connection.destroy()
    return this.none()
  }

  /** Cuts off the requests under way. */
  destroy(): Promise<void> {
    this.isClosed = true
    for (const connection of this.all) connection.destroy(closed())
    return this.none()
  }

  private none(): Promise<void> {
    return this.all.size === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve))
  }

  private send(target: Target, sending: Sending): void {
    const kept = this.take(target.key)
    if (kept !== undefined) return this.sendOn(kept, sending)
    const connection = new Connection(target.key, this.times, {
      released: (each) => this.release(each),
      ended: (each) => this.forget(each),
      unsent: (unsent) => this.sendAgain(target, unsent)
    })
    this.all.add(connection)
    connection.open((answer) => this.connect(target, answer as buildConnector.Callback), sending)
  }

  private sendAgain(target: Target, sending: Sending): void {
    if (this.isClosed) sending.exchange.cutOff(closed())
    else this.send(target, sending)
  }

  private take(key: string): Connection | undefined {
    const free = this.free.get(key) ?? []
    for (let kept = free.pop(); kept !== undefined; kept = free.pop()) {
      if (free.length === 0) this.free.delete(key)
      this.countFree(-1)
      if (kept.mayServe()) return kept
      kept.destroy()
    }
    return undefined
  }

  private release(connection: Connection): void {
    const { idle, webhook } = this.keeping
    if (this.isClosed || idle.room(webhook) === 0) return connection.destroy()
    this.countFree(1)
    const free = this.free.get(connection.key)
    if (free === undefined) this.free.set(connection.key, [connection])
    else free.push(connection)
  }

  /**
   * Sends on a connection that was free for a whole turn of the event loop, in which its end would have been heard: some
   * receivers close it behind their last answer, without a word.
   */
  private sendOn(connection: Connection, sending: Sending): void {
    connection.carry(sending)
    if (connection.freeSince! < this.turnBegan) return connection.write()
    if (this.carrying.push(connection) > 1) return
    setImmediate(() => {
      const carrying = this.carrying
      this.carrying = []
      const began = performance.now()
      setImmediate(() => {
        this.turnBegan = began
        for (const each of carrying) each.write()
      })
    })
  }

  private countFree(by: number): void {
    this.keeping.idle.change(this.keeping.webhook, by)
  }

  private forget(connection: Connection): void {
    this.all.delete(connection)
    const free = this.free.get(connection.key)
    const at = free?.indexOf(connection) ?? -1
    if (at >= 0) {
      free!.splice(at, 1)
      this.countFree(-1)
    }
    // A template may give each object an origin of its own.
    if (free?.length === 0) this.free.delete(connection.key)
    if (this.all.size === 0) for (const resolve of this.waiting.splice(0)) resolve()
  }
}

const closed = () => new Error("The connections of the webhook were closed.")

type Target = buildConnector.Options & { readonly key: string }

/** The server to connect to. A webhook that sets the header `host` selects one name of a server with several names. */
const targetOf = ({ origin, protocol, host, hostname, port }: Place, asked: string | undefined): Target => {
  const named = protocol === "https:" && asked !== undefined ? nameIn(asked) : undefined
  const target = { protocol, host, hostname, port }
  return named === undefined ? { ...target, key: origin } : { ...target, key: `${origin} ${named}`, servername: named }
}

/** The name in `name:port`; undefined for an address. */
const nameIn = (host: string): string | undefined => {
  const name = host.startsWith("[") ? "" : host.replace(/:.*/s, "")
  return name === "" || isIP(name) !== 0 ? undefined : name
}
