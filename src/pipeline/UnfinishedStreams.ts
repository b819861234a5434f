/**
 * The streams that may hold unfinished deliveries. They are checked some at a time: whether Redis has lost entries, and
 * where the first unfinished one is, which moves the `open` watermark on (deliver/recover/Watermarks.ts).
 */
import { Effect } from "effect"
import { CaptureError } from "../capture/CaptureError.ts"
import { noteOpen } from "../deliver/recover/Watermarks.ts"
import { Append, type Tops } from "../stream/Append.ts"
import { Streams } from "../stream/Streams.ts"

/** Streams checked at once: Redis does nothing else meanwhile. */
const checkedMax = 100

export class UnfinishedStreams {
  /** The last id of each stream that is on disk, by webhook. */
  private readonly tops = new Map<number, string>()
  /** Webhooks whose streams are still to be checked in this round. */
  private toCheck: Array<number> = []

  /** Begins with these streams. */
  reset(tops: Tops): void {
    this.tops.clear()
    this.toCheck = []
    this.note(tops)
  }

  /** Notes that entries were added up to these ids. */
  note(tops: Tops): void {
    for (const [webhook, top] of tops) this.tops.set(webhook, top)
  }

  /** Checks the next streams, and forgets those that are empty. Returns whether others of the round are left. */
  readonly check = Effect.fnUntraced({ self: this }, function* (this: UnfinishedStreams) {
    if (this.toCheck.length === 0) this.toCheck = [...this.tops.keys()]
    const next = this.toCheck.splice(0, checkedMax)
    const tops = new Map(next.flatMap((webhook) => entryOf(this.tops, webhook)))
    const webhooks = [...tops.keys()]
    const heads = yield* (yield* Streams).heads(webhooks)
    // After the heads: a stream that is lost looks like one that is finished.
    const { lost } = yield* (yield* Append).verify(webhooks)
    if (lost.length > 0) return yield* lostEntries(lost)
    yield* noteOpen(heads, tops)
    for (const [webhook, head] of heads) {
      if (head === undefined && this.tops.get(webhook) === tops.get(webhook)) this.tops.delete(webhook)
    }
    return this.toCheck.length > 0
  })
}

const entryOf = (tops: Tops, webhook: number): ReadonlyArray<readonly [webhook: number, top: string]> => {
  const top = tops.get(webhook)
  return top === undefined ? [] : [[webhook, top]]
}

/** Streams that lost entries are filled again when reading begins, and only then: nothing is being queued at that time. */
export const lostEntries = (webhooks: ReadonlyArray<number>) =>
  new CaptureError({ reason: "Transport", message: `Redis lost entries of the webhooks ${webhooks.join(", ")}` })
