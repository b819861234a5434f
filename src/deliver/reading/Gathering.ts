/**
 * When a webhook's next batch is read, and which entries it has.
 *
 * Deliveries are gathered in their streams, not in a process: the process that reads takes all of a batch in one step,
 * and one that dies meanwhile leases nothing. Entries that a process leases already have waited, and are sent at once.
 */
import { Effect } from "effect"
import type { Entry } from "../../queue/Entry.ts"
import { Streams } from "../../queue/Streams.ts"
import type { BatchPolicy } from "../../inventory/types/extras/WebhookBatch.ts"
import { gatherMillis } from "../../webhook/BatchPolicy.ts"

/** Most characters of a batch's events; one that is too long for its entry is sent alone. */
const batchCharsMax = 1 << 20

export class Gathering {
  private readonly now: () => number
  /** Wakes the reader again in so many milliseconds. */
  private readonly lookIn: (millis: number) => void
  private since: number | undefined
  /** How many deliveries are sent in smaller batches, and of which size. */
  private smaller = { left: 0, size: 0 }

  constructor(now: () => number, lookIn: (millis: number) => void) {
    this.now = now
    this.lookIn = lookIn
  }

  /** Most deliveries of the next batch. */
  sizeOf(policy: BatchPolicy): number {
    return this.smaller.left > 0 ? Math.min(this.smaller.size, policy.size) : policy.size
  }

  /** Whether a batch is to be read from the streams of the webhook now. If not, the reader wakes in time. */
  readonly isDue = Effect.fnUntraced({ self: this }, function* (this: Gathering, webhook: number, policy: BatchPolicy) {
    this.since ??= this.now()
    const { since } = this
    const size = this.sizeOf(policy)
    const unread = policy.millis === 0 ? size : yield* Effect.flatMap(Streams, (s) => s.unread(webhook))
    const wait = gatherMillis({ ...policy, size }, { nowMillis: this.now(), sinceMillis: since, unread })
    if (wait > 0) this.lookIn(wait)
    return wait === 0
  })

  /** Begins anew: what there was has been read. */
  begin(): void {
    this.since = undefined
  }

  /** How many of the first of these entries make the next batch. */
  take(entries: ReadonlyArray<Entry>, policy: BatchPolicy): number {
    const count = countOf(entries, this.sizeOf(policy))
    this.smaller = { ...this.smaller, left: Math.max(this.smaller.left - count, 0) }
    return count
  }

  /**
   * So many deliveries made a batch on which a template failed, or which the receiver found too large: they, or `times`
   * as many, are tried in halves, down to single ones.
   */
  halve(count: number, times = 1): void {
    this.smaller = { left: this.smaller.left + count * times, size: Math.ceil(count / 2) }
  }
}

/** How many of the first entries fit into a batch. */
const countOf = (entries: ReadonlyArray<Entry>, size: number): number => {
  let chars = 0
  const end = entries.findIndex(({ delivery }, at) => {
    chars += delivery.body.length
    return at > 0 && (at === size || chars > batchCharsMax || delivery.chars !== undefined || isLong(entries[0]!))
  })
  return end === -1 ? entries.length : end
}

const isLong = ({ delivery }: Entry): boolean => delivery.chars !== undefined
