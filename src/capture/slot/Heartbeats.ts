/**
 * The heartbeats of a session: they measure its lag, and the time up to which it has captured everything.
 *
 * Everybody who may connect to the database may write a message of this form. So each heartbeat carries a number that
 * cannot be guessed, and counts once.
 */
import { randomUUID } from "node:crypto"

interface Heartbeat {
  /** Milliseconds since 1970 by the clock of this process. */
  readonly sentAt: number
  /** By the clock of the server; undefined until it is known. */
  time: string | undefined
}

/** Most heartbeats under way: no more are sent while so many are. */
const underWayMax = 1000

export class Heartbeats {
  /** How long the last captured one took, milliseconds. */
  private tookMillis = 0
  /** Heartbeats that are not captured yet, in their order. */
  private readonly underWay = new Map<string, Heartbeat>()

  /** Begins one: its content, and a function that notes the time of its transaction; undefined if too many are under way. */
  send(now: number): { readonly content: string; readonly sent: (time: string) => void } | undefined {
    if (this.underWay.size >= underWayMax) return undefined
    const content = randomUUID()
    const heartbeat: Heartbeat = { sentAt: now, time: undefined }
    this.underWay.set(content, heartbeat)
    return { content, sent: (time) => void (heartbeat.time = time) }
  }

  /** Notes that everything up to it is stored; returns its time by the clock of the server, if it is known. */
  confirm(content: string, now: number): string | undefined {
    const heartbeat = this.underWay.get(content)
    if (heartbeat === undefined) return undefined
    this.tookMillis = now - heartbeat.sentAt
    for (const older of this.underWay.keys()) {
      this.underWay.delete(older)
      if (older === content) break
    }
    return heartbeat.time
  }

  /** From a commit until its events are stored, milliseconds: of the last one, or of a slower one under way. */
  lagMillis(now: number): number {
    const [oldest] = this.underWay.values()
    return Math.round(Math.max(this.tookMillis, oldest === undefined ? 0 : now - oldest.sentAt))
  }
}
