/**
 * One connection to a receiver, for one request at a time.
 *
 * Guarantees: a request is written once; one that finds its connection closed before it was written is handed back, and
 * may be sent on another. Bytes without a request, or behind an answer, end the connection.
 */
import type { Socket } from "node:net"
import type { Exchange } from "./Exchange.ts"

/** Makes the connection; calls back once. */
type Connect = (answer: (error: Error | null, socket: Socket | null) => void) => void

/** Callbacks to the owner of the connection. */
interface Keeper {
  /** It is free for another request. */
  readonly released: (connection: Connection) => void
  readonly ended: (connection: Connection) => void
  /** It was closed before the request was written. */
  readonly unsent: (sending: Sending) => void
}

export interface Sending {
  readonly exchange: Exchange
  readonly bytes: ReadonlyArray<Buffer>
}

export interface Times {
  /** How long an unused connection is kept, milliseconds. */
  readonly idleMillis: number
  /** Age at which it is used for no further request, milliseconds. */
  readonly ageMillis: number
}

/** A receiver may close in the last moment of the time that it promised: how much sooner it is not used, milliseconds. */
const marginMillis = 2000

export class Connection {
  /** The key by which connections are shared: the origin, and the server name that is requested of the receiver. */
  readonly key: string
  private readonly times: Times
  private readonly keeper: Keeper
  private socket: Socket | undefined
  private sending: Sending | undefined
  private isWritten = false
  /** When it was last free, by `performance.now()`; undefined before its first answer. */
  freeSince: number | undefined
  private isEnded = false
  /** Until when it may be used, by `performance.now()`: by its age, and by the promise of the receiver. */
  private until = { age: 0, promise: Number.POSITIVE_INFINITY }

  constructor(key: string, times: Times, keeper: Keeper) {
    this.key = key
    this.times = times
    this.keeper = keeper
  }

  /** Sends its first request, once it is made. */
  open(connect: Connect, sending: Sending): void {
    this.carry(sending)
    connect((error, socket) => {
      if (error !== null || socket === null) this.end(error ?? undefined)
      else if (this.isEnded) socket.on("error", () => {}).destroy()
      else this.connected(socket)
    })
  }

  /** Takes a request, for `write` to send it. */
  carry(sending: Sending): void {
    this.sending = sending
    this.isWritten = false
    sending.exchange.onAbort = (error) => this.destroy(error)
  }

  /** Sends the request that it carries, unless it was closed meanwhile: then its end is on the way. */
  write(): void {
    const { socket, sending } = this
    if (socket === undefined || sending === undefined || socket.destroyed) return
    this.isWritten = true
    sending.exchange.written = performance.now()
    for (const bytes of sending.bytes) socket.write(bytes)
  }

  mayServe(): boolean {
    const now = performance.now()
    return now < this.until.age && now < this.until.promise
  }

  get isFree(): boolean {
    return this.sending === undefined
  }

  destroy(error?: Error): void {
    if (this.socket === undefined) this.end(error)
    else this.socket.destroy(error)
  }

  private connected(socket: Socket): void {
    this.socket = socket
    this.until.age = performance.now() + this.times.ageMillis
    let failure: Error | undefined
    socket.on("data", (bytes: Buffer) => this.read(socket, bytes))
    // Not half open: a receiver that says no more gets no more.
    socket.on("end", () => socket.destroy())
    socket.on("error", (error) => (failure = error))
    socket.on("close", () => this.end(failure))
    // A callback of `setTimeout` would be called once, perhaps during a request.
    socket.on("timeout", () => this.isFree && socket.destroy())
    socket.setTimeout(this.times.idleMillis)
    this.write()
  }

  private read(socket: Socket, bytes: Buffer): void {
    const { sending } = this
    if (sending === undefined || !this.isWritten) return void socket.destroy()
    if (!sending.exchange.read(bytes)) return
    this.sending = undefined
    const { isFollowed, keepAliveMillis = Number.POSITIVE_INFINITY } = sending.exchange.answer
    const now = performance.now()
    this.until.promise = now + keepAliveMillis - marginMillis
    if (!isFollowed || socket.destroyed) return void socket.destroy()
    if (socket.writableLength === 0) return this.release(now)
    // TLS reports the end of a write a turn later, perhaps after the answer.
    setImmediate(() => {
      // The answer arrived before the whole request was sent: its rest would be sent before the next request.
      if (socket.destroyed || socket.writableLength > 0) socket.destroy()
      else this.release(performance.now())
    })
  }

  private release(now: number): void {
    this.freeSince = now
    this.keeper.released(this)
  }

  private end(error: Error | undefined): void {
    if (this.isEnded) return
    this.isEnded = true
    const { sending } = this
    this.sending = undefined
    this.keeper.ended(this)
    if (sending === undefined) return
    const isUnsent = this.freeSince !== undefined && !this.isWritten && sending.exchange.ended === undefined
    if (isUnsent) this.keeper.unsent(sending)
    else sending.exchange.cutOff(error)
  }
}
