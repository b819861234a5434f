/**
 * FairShare: a webhook that has more to send than it can leaves the process time for those that keep up.
 *
 * All actors share one event loop. One with a backlog would take all of it, and what comes for the others would wait
 * behind that at every step from the WAL on. So while webhooks that keep up are about, those with a backlog read in
 * small portions, one after the other, and not before the loop has been idle for its part of the time since the last
 * portion. Alone, or among their like, they go as fast as they can.
 */
import { Effect, Semaphore } from "effect"

/** Part of the time that the event loop is left idle. */
const idlePart = 0.7

/** How long a webhook that keeps up counts after it read, milliseconds. */
const aboutMillis = 1000

/** Most deliveries of a portion. */
const portion = 8

/** How often it is asked whether the loop was idle, and how long at most that is waited for, milliseconds. */
const askMillis = 2
const patienceMillis = 20

const nobody = { webhook: -1, at: Number.NEGATIVE_INFINITY }

/** The webhooks of one process. */
export class FairShare {
  /** The last two different ones that kept up. */
  private latest = nobody
  private before = nobody
  /** When the last portion was given. */
  private since = performance.eventLoopUtilization()
  private readonly one = Semaphore.makeUnsafe(1)

  /** The webhook had something to send, and no more than it could at once. */
  keptUp(webhook: number): void {
    if (webhook !== this.latest.webhook) this.before = this.latest
    this.latest = { webhook, at: performance.now() }
  }

  /** Waits until a webhook with a backlog may read, and answers how many of `count` deliveries. */
  take(webhook: number, count: number): Effect.Effect<number> {
    const other = this.latest.webhook === webhook ? this.before : this.latest
    if (performance.now() - other.at > aboutMillis) return Effect.succeed(count)
    return Effect.as(this.one.withPermits(1)(this.untilIdle), Math.min(count, portion))
  }

  private readonly untilIdle = Effect.gen({ self: this }, function* () {
    const begun = performance.now()
    while (this.isBusy() && performance.now() - begun < patienceMillis) yield* Effect.sleep(askMillis)
    this.since = performance.eventLoopUtilization()
  })

  private isBusy(): boolean {
    return performance.eventLoopUtilization(this.since).utilization > 1 - idlePart
  }
}
