/** The stream of a source's slot: its transactions, in the order of their commits, and where the server may forget WAL. */
import { Deferred, Effect, Queue } from "effect"
import type { CaptureError } from "../../capture/CaptureError.ts"
import type { Walsender } from "../../capture/wal/Walsender.ts"
import { ChangeMessages } from "../netbox/ChangeMessages.ts"
import { messagesVersion } from "../netbox/SwitchMessage.ts"
import { type SourceTransaction, Transactions } from "../netbox/Transactions.ts"
import type { SlotNames } from "./SourceSlot.ts"

/** Size of transactions that wait to be relayed, bytes, above which reading is paused, and below which it continues. */
const waitingBytesMax = 32 * 1024 * 1024
const resumeBelowBytes = waitingBytesMax / 2

export class SourceStream {
  readonly waiting = Effect.runSync(Queue.unbounded<SourceTransaction>())
  readonly ended = Deferred.makeUnsafe<never, CaptureError>()
  /** Everything before it is relayed. */
  private relayedLsn = 0n
  /** The same, as far as it is stored: a slot must never be ahead of the state. */
  private storedLsn = 0n
  private receivedLsn = 0n
  private underWay = 0
  private waitingBytes = 0
  private isPaused = false
  private heardAt = performance.now()
  private readonly walsender: Walsender
  private readonly transactions: Transactions
  private readonly messages: ChangeMessages

  constructor(walsender: Walsender, table: string) {
    this.walsender = walsender
    this.transactions = new Transactions((transaction) => this.offer(transaction))
    this.messages = new ChangeMessages(table, this.transactions)
  }

  /** `version`: that of the server. */
  start({ slot, publication }: SlotNames, version: number): Promise<void> {
    const messages = version >= messagesVersion ? ", messages 'true'" : ""
    const command = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names '${publication}'${messages})`
    return this.walsender.stream(command, {
      onData: (bytes, start, end) => this.messages.decode(bytes, start, end),
      onKeepalive: (walEnd, replyAtOnce) => {
        if (walEnd > this.receivedLsn) this.receivedLsn = walEnd
        // No change lies between the last relayed one and the server's end.
        const isIdle = this.underWay === 0 && !this.transactions.inTransaction
        if (isIdle && walEnd > this.relayedLsn) this.relayedLsn = walEnd
        if (replyAtOnce) this.report()
      },
      onChunkEnd: () => {
        this.heardAt = performance.now()
        if (this.isPaused || this.waitingBytes <= waitingBytesMax) return
        this.isPaused = true
        this.walsender.pause()
      },
      onEnd: (error) => Deferred.doneUnsafe(this.ended, Effect.fail(error))
    })
  }

  /** Everything before it is relayed. */
  get relayed(): bigint {
    return this.relayedLsn
  }

  /** How long the server has been silent, milliseconds; 0 while reading is paused. */
  get silentMillis(): number {
    return this.isPaused ? 0 : performance.now() - this.heardAt
  }

  /** Notes that the state has this place. */
  noteStored(lsn: bigint): void {
    if (lsn > this.storedLsn) this.storedLsn = lsn
  }

  /** Notes that transactions are relayed. */
  confirm(transactions: ReadonlyArray<SourceTransaction>): void {
    for (const { endLsn, bytes } of transactions) {
      this.underWay -= 1
      this.waitingBytes -= bytes
      this.relayedLsn = endLsn
    }
    this.report()
    if (!this.isPaused || this.waitingBytes > resumeBelowBytes) return
    this.isPaused = false
    this.heardAt = performance.now()
    this.walsender.resume()
  }

  /** Reports progress to the server; `isAsking` requests a reply. */
  report(isAsking = false): void {
    const received = this.receivedLsn > this.storedLsn ? this.receivedLsn : this.storedLsn
    this.walsender.sendStatus(received, this.storedLsn, isAsking)
  }

  private offer(transaction: SourceTransaction): void {
    if (transaction.endLsn > this.receivedLsn) this.receivedLsn = transaction.endLsn
    this.underWay += 1
    this.waitingBytes += transaction.bytes
    Queue.offerUnsafe(this.waiting, transaction)
  }
}
