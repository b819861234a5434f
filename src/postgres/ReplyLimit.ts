/**
 * Bounds what Postgres sends to requests: a statement with a larger reply loses its connection, and Postgres ends it.
 *
 * Rows are in memory until their statement has ended, and Postgres has no limit for them. The bytes that each
 * connection has read are polled in short intervals, because under TLS its socket emits no data.
 */
import type { Socket } from "node:net"
import { OpenSockets } from "./connect/OpenSockets.ts"

export const replyLimits = {
  /** Largest reply to one statement, bytes: a page of a thousand usual objects has two to five million. */
  one: 32 * 1024 * 1024,
  /** Largest sum of the replies that are arriving in a process, bytes. */
  all: 192 * 1024 * 1024
}

type Limits = typeof replyLimits

/** Time between two polls, milliseconds. */
const lookMillis = 25

/** The reply was larger than its limit. */
export class ReplyTooLarge extends Error {
  constructor(bytes: number) {
    super(`The answer of the database has more than ${bytes / (1024 * 1024)} MiB for this request.`)
  }
}

/** Too many large replies arrived at once. */
export class TooManyLargeReplies extends Error {}

interface ReplyBytes {
  /** Bytes read before the statement that is running, and at the last poll. */
  before: number
  read: number
  /** Bytes written at the last poll: more of them are another statement. */
  written: number
}

export class ReplyLimit {
  private readonly sockets = new OpenSockets<ReplyBytes>(lookMillis, (sockets) => this.look(sockets))
  private readonly limits: Limits

  constructor(limits: Limits = replyLimits) {
    this.limits = limits
  }

  add(socket: Socket): Socket {
    return this.sockets.add(socket, { before: 0, read: 0, written: 0 })
  }

  private look(sockets: ReadonlyMap<Socket, ReplyBytes>): void {
    let all = 0
    for (const [socket, counted] of sockets) {
      const { bytesRead, bytesWritten } = socket
      const isArriving = bytesRead > counted.read
      if (bytesWritten !== counted.written) counted.before = bytesRead
      counted.written = bytesWritten
      counted.read = bytesRead
      const bytes = bytesRead - counted.before
      if (!isArriving || bytes === 0) continue
      all += bytes
      if (bytes > this.limits.one) socket.destroy(new ReplyTooLarge(this.limits.one))
      else if (all > this.limits.all) socket.destroy(new TooManyLargeReplies("Too many large replies at once."))
    }
  }
}
