/**
 * The streams that may have unfinished deliveries. They are checked some at a time: whether Redis has lost entries, and
 * where the first unfinished one is, which moves the `open` watermark on (queue/reconcile/Watermarks.ts).
 */
import { Effect } from "effect"
import { CaptureError } from "../../capture/CaptureError.ts"
import { absentAmong } from "./Deleted.ts"
import { noteOpen } from "./Watermarks.ts"
import { Append, type Tops } from "../Append.ts"
import { Streams } from "../Streams.ts"

/** Streams checked at once: Redis does nothing else meanwhile. */
const checkedMax = 100

export class UnfinishedStreams {
  /** The last id of each stream that Postgres has noted, by webhook. */
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

  /** These webhooks were deleted. */
  forget(webhooks: Iterable<number>): void {
    for (const webhook of webhooks) this.tops.delete(webhook)
  }

  /** Checks the next streams, and forgets those that are empty. Returns whether others of the round are left. */
  readonly check = Effect.fnUntraced({ self: this }, function* (this: UnfinishedStreams) {
    if (this.toCheck.length === 0) this.toCheck = [...this.tops.keys()]
    const next = this.toCheck.splice(0, checkedMax)
    const tops = new Map(next.flatMap((webhook) => entryOf(this.tops, webhook)))
    const webhooks = [...tops.keys()]
    const heads = new Map(yield* (yield* Streams).heads(webhooks))
    // After the heads: a lost stream cannot be distinguished from a finished one.
    const { lost } = yield* (yield* Append).verify(webhooks)
    const deleted = yield* withoutDeleted(lost)
    this.forget(deleted)
    for (const webhook of deleted) heads.delete(webhook)
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

/**
 * Fails if one of these webhooks, whose streams lost entries, still exists: streams are filled again when reading begins,
 * and only then, because nothing is being queued at that time. Who delivers deletes the stream of a deleted webhook, and
 * capture may read of the deletion later: nothing more is appended for these webhooks, which are returned.
 */
export const withoutDeleted = Effect.fnUntraced(function* (lost: ReadonlyArray<number>) {
  const deleted = new Set(yield* absentAmong(lost))
  const left = lost.filter((webhook) => !deleted.has(webhook))
  if (left.length > 0) {
    const message = `Redis lost entries of the webhooks ${left.join(", ")}`
    return yield* new CaptureError({ reason: "Transport", message })
  }
  yield* (yield* Append).forget(deleted)
  return deleted
})
