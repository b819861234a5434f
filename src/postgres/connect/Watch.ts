/**
 * Closes connections to Postgres that are dead, although TCP still considers them open.
 *
 * A connection that owes a reply and is silent may have a slow statement, or be dead. A new connection shows which: a
 * dead one has no statement that runs. Where more connections are silent than statements run, it is not known which of
 * them are dead, so all of them are kept up to a limit.
 */
import type { Socket } from "node:net"
import { OpenSockets } from "./OpenSockets.ts"

interface SocketState {
  /** Bytes read at the last check, and the time of the last check that found new ones. */
  read: number
  heard: number
  /** Bytes written at the time `heard`, and the time since when a reply is owed. */
  answered: number
  since: number
  /** Bytes read at the time of the last write. Undefined if TLS bypasses the socket's `write`. */
  asked: number | undefined
}

interface WatchLimits {
  /** Silence after which a connection that owes a reply is dead unless its statement runs, milliseconds. */
  readonly silenceMillis: number
  /** Longest wait for any reply, milliseconds. */
  readonly limitMillis: number
  /** How many statements of these connections run, where so many are silent; absent if no silent one is kept. */
  readonly running?: (silent: number) => Promise<number>
}

/**
 * With a dead connection it closes all connections of the pool that have been silent for as long: their next statement
 * would get no reply either, and each would wait for the full time.
 */
export class Watch {
  private readonly sockets: OpenSockets<SocketState>
  private readonly limits: WatchLimits
  private isProbing = false
  /** Connections that were silent when a probe began which found that no statement runs. */
  private suspects: ReadonlySet<Socket> = new Set()

  constructor(limits: WatchLimits) {
    this.limits = limits
    this.sockets = new OpenSockets(limits.silenceMillis / 10, (sockets) => this.look(sockets))
  }

  add(socket: Socket): Socket {
    const now = performance.now()
    const watched: SocketState = { read: 0, heard: now, answered: 0, since: now, asked: undefined }
    const { write } = socket
    socket.write = ((...given: Parameters<typeof write>) => {
      watched.asked = socket.bytesRead
      return write.apply(socket, given)
    }) as typeof write
    return this.sockets.add(socket, watched)
  }

  private look(sockets: Sockets): void {
    const now = performance.now()
    for (const [socket, watched] of sockets) {
      // The counts at each check alone would miss a statement that was sent right after a reply.
      const owes = socket.bytesWritten !== watched.answered || socket.bytesRead === watched.asked
      if (socket.bytesRead !== watched.read || !owes) watched.since = now
      if (socket.bytesRead === watched.read) continue
      Object.assign(watched, { read: socket.bytesRead, heard: now, answered: socket.bytesWritten })
    }
    const { silenceMillis, limitMillis, running } = this.limits
    close(sockets, silentAmong(sockets, limitMillis), limitMillis)
    const silent = silentAmong(sockets, silenceMillis)
    // One check after the probe: the reply to a statement that ended meanwhile may not have been read.
    const dead = running === undefined ? silent : silent.filter((socket) => this.suspects.has(socket))
    close(sockets, dead, silenceMillis)
    this.suspects = new Set()
    if (running === undefined || silent.length === 0 || this.isProbing) return
    this.isProbing = true
    void running(silent.length).then((count) => {
      this.isProbing = false
      if (count === 0) this.suspects = new Set(silent)
    })
  }
}

type Sockets = ReadonlyMap<Socket, SocketState>

/** The connections that have owed a reply for this long. */
const silentAmong = (sockets: Sockets, millis: number): ReadonlyArray<Socket> => {
  const now = performance.now()
  return [...sockets.keys()].filter((socket) => {
    const { read, since } = sockets.get(socket)!
    return socket.bytesRead === read && now - since > millis
  })
}

/** Closes dead connections, and those that have been silent for as long as one of them. */
const close = (sockets: Sockets, dead: ReadonlyArray<Socket>, millis: number): void => {
  if (dead.length === 0) return
  const lastHeard = Math.max(...dead.map((socket) => sockets.get(socket)!.heard))
  for (const [socket, { heard, read }] of sockets) {
    if (heard > lastHeard || socket.bytesRead !== read) continue
    socket.destroy(new Error(`no answer from Postgres for ${Math.round(millis)} ms`))
  }
}
