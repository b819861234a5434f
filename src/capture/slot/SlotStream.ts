/** The stream of the slot: windows in, confirmations out. All of it is synchronous and called by the socket. */
import { Deferred, Effect, Queue } from "effect"
import type { CaptureError } from "../CaptureError.ts"
import { formatLsn } from "../../event/Lsn.ts"
import { Pgoutput } from "../wal/Pgoutput.ts"
import type { CapturePoint } from "./Epoch.ts"
import { Heartbeats } from "./Heartbeats.ts"
import type { SlotState } from "./Slot.ts"
import { TransactionWindows, type Window } from "../fold/TransactionWindows.ts"
import type { Walsender } from "../wal/Walsender.ts"

/** Reading pauses above so many bytes of WAL data that wait to be confirmed, and resumes below so few. */
const waitingBytesMax = 8 * 1024 * 1024
const resumeBelowBytes = 2 * 1024 * 1024

/** Events of sources after which progress is reported at once: a source waits until most of its events are captured. */
const reportedEvents = 10

export interface Waiting extends WindowEnd {
  readonly window: Window
}

/** The part of a window that confirming it needs: its changes need not stay in memory until then. */
export interface WindowEnd extends Pick<Window, "endLsn" | "heartbeat"> {
  /** Length of the WAL data that arrived with it. */
  readonly walBytes: number
  /** Events of sources. */
  readonly relayed: number
}

export class SlotStream {
  readonly windows: Queue.Queue<Waiting> = Effect.runSync(Queue.unbounded<Waiting>())
  readonly ended: Deferred.Deferred<never, CaptureError> = Deferred.makeUnsafe()
  received = 0n
  /** 0 until the begin is known: to Postgres that means nothing new. */
  confirmed = 0n
  readonly heartbeats = new Heartbeats()
  /** Up to when, and up to where, all changes were captured; undefined until a heartbeat is captured. */
  captured: CapturePoint | undefined
  /** WAL data that waits to be confirmed, bytes. */
  waitingBytes = 0
  private waitingWindows = 0
  private openBytes = 0
  private unreported = 0
  private paused = false
  private heardAt = performance.now()
  private readonly walsender: Walsender
  private readonly prepared: SlotState
  private readonly transactions: TransactionWindows
  private readonly decoder: Pgoutput

  /** `open` opens texts that we sealed. */
  constructor(walsender: Walsender, prepared: SlotState, open: (sealed: string) => string | undefined) {
    this.walsender = walsender
    this.prepared = prepared
    const installation = `${prepared.systemId} ${prepared.epoch}`
    this.transactions = new TransactionWindows(installation, (window) => this.offer(window), open)
    this.decoder = new Pgoutput(this.transactions)
  }

  /** The slot is confirmed up to here. */
  beginAt(lsn: bigint): void {
    if (lsn > this.confirmed) this.confirmed = lsn
  }

  start(): Promise<void> {
    const { slot, publication } = this.prepared
    // From 0/0 means: from the LSN that the slot has confirmed.
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}', messages 'true')`
    return this.walsender.stream(command, {
      onData: (bytes, start, end) => {
        this.openBytes += end - start
        this.decoder.decode(bytes, start, end)
      },
      onKeepalive: (walEnd, replyAtOnce) => {
        if (walEnd > this.received) this.received = walEnd
        // No event lies between the confirmed position and the server's end: the server may drop the WAL up to there.
        const idle = this.waitingWindows === 0 && !this.transactions.inTransaction
        if (idle && walEnd > this.confirmed) this.confirmed = walEnd
        if (replyAtOnce) this.report()
      },
      onChunkEnd: () => {
        this.heardAt = performance.now()
        if (this.paused || this.waitingBytes <= waitingBytesMax) return
        this.paused = true
        this.walsender.pause()
      },
      onEnd: (error) => Deferred.doneUnsafe(this.ended, Effect.fail(error))
    })
  }

  /** Confirms windows whose events are stored. */
  confirm(windows: ReadonlyArray<WindowEnd>): void {
    for (const { endLsn, heartbeat, walBytes, relayed } of windows) {
      this.unreported += relayed
      this.waitingWindows -= 1
      this.waitingBytes -= walBytes
      if (endLsn !== undefined) this.confirmed = endLsn
      if (heartbeat === undefined) continue
      const time = this.heartbeats.confirm(heartbeat, now())
      if (time !== undefined) this.captured = { time, lsn: formatLsn(this.confirmed) }
    }
    if (this.unreported >= reportedEvents) this.report()
    if (!this.paused || this.waitingBytes > resumeBelowBytes) return
    this.paused = false
    this.heardAt = performance.now()
    this.walsender.resume()
  }

  /** Counts of contexts that were missing or could not be parsed since the start. */
  get contexts(): Pick<TransactionWindows, "withoutContext" | "unreadableContexts" | "lastUnreadable"> {
    return this.transactions
  }

  /** How long the server has been silent, milliseconds; 0 while reading is paused. */
  get silentMillis(): number {
    return this.paused ? 0 : performance.now() - this.heardAt
  }

  /** Reports progress to the server; `ask` requests a reply. */
  report(ask = false): void {
    this.unreported = 0
    this.walsender.sendStatus(this.received, this.confirmed, ask)
  }

  private offer(window: Window): void {
    if (window.endLsn !== undefined && window.endLsn > this.received) this.received = window.endLsn
    const walBytes = this.openBytes
    this.openBytes = 0
    this.waitingWindows += 1
    this.waitingBytes += walBytes
    const { endLsn, heartbeat, relayed } = window
    Queue.offerUnsafe(this.windows, { window, endLsn, heartbeat, walBytes, relayed: relayed.length })
  }
}

/** Milliseconds since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now()
