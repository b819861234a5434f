/** The stream of the slot: windows in, confirmations out. All of it is synchronous, called by the socket. */
import { Deferred, Effect, Queue } from "effect"
import type { CaptureError } from "../CaptureError.ts"
import { Pgoutput } from "../wal/Pgoutput.ts"
import type { Prepared } from "./Slot.ts"
import { TransactionWindows, type Window } from "../fold/TransactionWindows.ts"
import type { Walsender } from "../wal/Walsender.ts"

/** Most bytes of WAL data that wait to be confirmed before reading pauses, and how few let it go on. */
const waitingBytesMax = 8 * 1024 * 1024
const waitingBytesLow = 2 * 1024 * 1024

export interface Waiting {
  readonly window: Window
  /** WAL data that came with it. */
  readonly bytes: number
}

export class SlotStream {
  readonly windows: Queue.Queue<Waiting> = Effect.runSync(Queue.unbounded<Waiting>())
  readonly ended: Deferred.Deferred<never, CaptureError> = Deferred.makeUnsafe()
  received = 0n
  /** 0 until we know where reading began: to Postgres that means nothing new. */
  confirmed = 0n
  /** Of the last beat that was confirmed: how long it took from its sending, milliseconds. */
  private beatMillis = 0
  /** When the oldest beat was sent that is not confirmed yet. */
  private beatSince: number | undefined
  /** WAL data that waits to be confirmed, bytes. */
  waitingBytes = 0
  private waitingWindows = 0
  private openBytes = 0
  private paused = false
  private heard = performance.now()
  private readonly walsender: Walsender
  private readonly prepared: Prepared
  private readonly transactions: TransactionWindows
  private readonly decoder: Pgoutput

  constructor(walsender: Walsender, prepared: Prepared) {
    this.walsender = walsender
    this.prepared = prepared
    this.transactions = new TransactionWindows(`${prepared.systemId} ${prepared.epoch}`, (window) => this.offer(window))
    this.decoder = new Pgoutput(this.transactions)
  }

  /** The slot had been confirmed up to here. */
  beginAt(lsn: bigint): void {
    if (lsn > this.confirmed) this.confirmed = lsn
  }

  start(): Promise<void> {
    const { slot, publication } = this.prepared
    // From 0/0 means: from what the slot has confirmed.
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}', messages 'true')`
    return this.walsender.stream(command, {
      onData: (bytes, start, end) => {
        this.openBytes += end - start
        this.decoder.decode(bytes, start, end)
      },
      onKeepalive: (walEnd, replyAtOnce) => {
        if (walEnd > this.received) this.received = walEnd
        // Nothing of ours lies between what is confirmed and the server's end: the WAL up to there may go.
        const idle = this.waitingWindows === 0 && !this.transactions.inTransaction
        if (idle && walEnd > this.confirmed) this.confirmed = walEnd
        if (replyAtOnce) this.report()
      },
      onChunkEnd: () => {
        this.heard = performance.now()
        if (this.paused || this.waitingBytes <= waitingBytesMax) return
        this.paused = true
        this.walsender.pause()
      },
      onEnd: (error) => Deferred.doneUnsafe(this.ended, Effect.fail(error))
    })
  }

  /** These are kept for good. */
  confirm(kept: ReadonlyArray<Waiting>): void {
    for (const { window, bytes } of kept) {
      this.waitingWindows -= 1
      this.waitingBytes -= bytes
      if (window.endLsn !== undefined) this.confirmed = window.endLsn
      if (window.beat === undefined) continue
      this.beatMillis = now() - window.beat
      this.beatSince = undefined
    }
    if (!this.paused || this.waitingBytes > waitingBytesLow) return
    this.paused = false
    this.heard = performance.now()
    this.walsender.resume()
  }

  /** A beat is on its way. */
  beating(sent: number): void {
    this.beatSince ??= sent
  }

  /** From a commit to its being kept for good, milliseconds: of the last beat, or longer if one has not come yet. */
  get lagMillis(): number {
    const waiting = this.beatSince === undefined ? 0 : now() - this.beatSince
    return Math.round(Math.max(this.beatMillis, waiting))
  }

  /** What the transactions since the start have told. */
  get told(): Pick<TransactionWindows, "withoutContext" | "unreadableContexts" | "lastUnreadable"> {
    return this.transactions
  }

  /** How long the server has been silent, milliseconds; 0 while it is us who do not listen. */
  get silentMillis(): number {
    return this.paused ? 0 : performance.now() - this.heard
  }

  /** Tells the server how far we are; with `ask` it is to say something as well. */
  report(ask = false): void {
    this.walsender.sendStatus(this.received, this.confirmed, ask)
  }

  private offer(window: Window): void {
    if (window.endLsn !== undefined && window.endLsn > this.received) this.received = window.endLsn
    const bytes = this.openBytes
    this.openBytes = 0
    this.waitingWindows += 1
    this.waitingBytes += bytes
    Queue.offerUnsafe(this.windows, { window, bytes })
  }
}

/** Milliseconds since 1970, with their fractions. */
export const now = (): number => performance.timeOrigin + performance.now()
