/**
 * A fair share of the event loop: a webhook with a backlog leaves time to those that keep up.
 *
 * All actors share one event loop. One with a backlog would take all of it, and deliveries of the others would wait at
 * every step from the WAL on. So while other webhooks keep up, those with a backlog read small portions, one webhook
 * after the other, and only after the loop has been idle for a part of the time since the last portion. If no webhook
 * keeps up, each reads as much as it has room for.
 */
import { Effect, Semaphore } from "effect"

/** Part of the time that the event loop is left idle. */
const idlePart = 0.7

/** How long a webhook counts as one that keeps up after it read, milliseconds. */
const aboutMillis = 1000

/** Most deliveries of a portion. */
const portion = 8

/** How often to check whether the loop was idle, and how long to wait for that at most, milliseconds. */
const askMillis = 2
const patienceMillis = 20

const nobody = { webhook: -1, at: Number.NEGATIVE_INFINITY }

/** The webhooks of one process; `now` gives milliseconds. */
export class FairShare {
  private readonly now: () => number
  /** The last two different webhooks that kept up. */
  private latest = nobody
  private before = nobody
  /** When the last portion was given. */
  private since = performance.eventLoopUtilization()
  private readonly one = Semaphore.makeUnsafe(1)

  constructor(now: () => number) {
    this.now = now
  }

  /** The webhook had something to send, and no more than it could at once. */
  keptUp(webhook: number): void {
    if (webhook !== this.latest.webhook) this.before = this.latest
    this.latest = { webhook, at: this.now() }
  }

  /** Waits until a webhook with a backlog may read, and answers how many of `count` deliveries. */
  take(webhook: number, count: number): Effect.Effect<number> {
    const other = this.latest.webhook === webhook ? this.before : this.latest
    if (this.now() - other.at > aboutMillis) return Effect.succeed(count)
    return Effect.as(this.one.withPermits(1)(this.untilIdle), Math.min(count, portion))
  }

  private readonly untilIdle = Effect.gen({ self: this }, function* () {
    const begun = this.now()
    while (this.isBusy() && this.now() - begun < patienceMillis) yield* Effect.sleep(askMillis)
    this.since = performance.eventLoopUtilization()
  })

  private isBusy(): boolean {
    return performance.eventLoopUtilization(this.since).utilization > 1 - idlePart
  }
}
