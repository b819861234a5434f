/**
 * A fair share of the event loop: a webhook with a backlog leaves time to those that keep up.
 *
 * All actors share one event loop. One with a backlog would take all of it, and deliveries of the others would wait at
 * every step from the WAL on. So while other webhooks keep up, those with a backlog read small portions, one webhook
 * after the other, and only after the loop has been idle for a part of the time since the last portion. If no webhook
 * keeps up, each reads as much as it has room for.
 *
 * The webhooks of a user share what one webhook would have: one of those with a backlog waits for the event loop at a
 * time, and a few read. So a user with a hundred webhooks delays others no longer than a user with a few.
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

/** Most webhooks of a user that read at the same time: a read takes about a millisecond, and each begins attempts. */
const readsMax = 4

/** The semaphores that the webhooks of a user share. */
interface Gates {
  /** For one webhook with a backlog that waits until it may read. */
  readonly wait: Semaphore.Semaphore
  readonly read: Semaphore.Semaphore
}

/** A webhook, and the user who receives by it; undefined where it has no scope. */
export interface Reader {
  readonly webhook: number
  readonly owner: number | undefined
}

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
  /** By user; kept, since users are few. */
  private readonly gates = new Map<number, Gates>()

  constructor(now: () => number) {
    this.now = now
  }

  /** The webhook had something to send, and no more than it could at once. */
  keptUp(webhook: number): void {
    if (webhook !== this.latest.webhook) this.before = this.latest
    this.latest = { webhook, at: this.now() }
  }

  /** Waits until a webhook with a backlog may read, and answers how many of `count` deliveries. */
  take({ webhook, owner }: Reader, count: number): Effect.Effect<number> {
    const waiting = Effect.suspend(() => this.takeInTurn(webhook, count))
    return owner === undefined ? waiting : this.gatesOf(owner).wait.withPermits(1)(waiting)
  }

  /** Reads and begins attempts, beside a few other webhooks of its user at most. */
  reading<A, E, R>({ owner }: Reader, read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return owner === undefined ? read : this.gatesOf(owner).read.withPermits(1)(read)
  }

  private takeInTurn(webhook: number, count: number): Effect.Effect<number> {
    const other = this.latest.webhook === webhook ? this.before : this.latest
    if (this.now() - other.at > aboutMillis) return Effect.succeed(count)
    return Effect.as(this.one.withPermits(1)(this.untilIdle), Math.min(count, portion))
  }

  private gatesOf(owner: number): Gates {
    const known = this.gates.get(owner)
    if (known !== undefined) return known
    const made = { wait: Semaphore.makeUnsafe(1), read: Semaphore.makeUnsafe(readsMax) }
    this.gates.set(owner, made)
    return made
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
