/**
 * Places of which there are so many in the process, shared fairly by holders that nobody counts beforehand.
 *
 * A holder may take while it has fewer than `free * free / most`. One alone gets 38 % of all places. When `n` holders have
 * come one after the other, each took all that it could, and none gives anything back, about `most / n` are still free:
 * with a bound in proportion to what is free, each would leave half of it or some other part, and the tenth nothing.
 * Nothing is taken away from a holder: one that has more than its share by now gets no more until it has less.
 */

/** A caller that waits for places. */
interface Waiter {
  readonly count: number
  readonly wake: () => void
}

/** Places that a piece of work needs to begin. */
export interface Reservation {
  /** Takes them; false if there is no room. */
  readonly take: () => boolean
  /** Calls back once when there is room, which the caller may take then. */
  readonly whenRoom: (wake: () => void) => void
  /** The work turned out to need so many. It has them already, so this does not wait. */
  readonly settle: (count: number) => void
  /** The work is done, or given up. */
  readonly end: () => void
}

export class Shares<Holder> {
  readonly most: number
  private taken = 0
  private readonly held = new Map<Holder, number>()
  private readonly waiting = new Map<Holder, Array<Waiter>>()

  constructor(most: number) {
    this.most = most
  }

  /** Places that are taken. */
  get used(): number {
    return this.taken
  }

  /** Holders that wait for a place. */
  get waitingHolders(): number {
    return this.waiting.size
  }

  heldBy(holder: Holder): number {
    return this.held.get(holder) ?? 0
  }

  /** How many more the holder may take, one after the other. */
  room(holder: Holder): number {
    if (!this.mayTake(holder, 1)) return 0
    // The root of `own + x = (free - x)^2 / most`.
    const [most, free] = [this.most, this.free]
    const root = Math.sqrt(most * (most + 4 * (free + this.heldBy(holder))))
    return Math.min(free, Math.max(1, Math.ceil(free + (most - root) / 2)))
  }

  get free(): number {
    return this.most - this.taken
  }

  /** Whether the holder may take so many at once. */
  private mayTake(holder: Holder, count: number): boolean {
    return count <= this.free && this.heldBy(holder) < (this.free * this.free) / this.most
  }

  /** Takes places, or gives them back where `by` is negative. Checks nothing: `room` says what is fair. */
  change(holder: Holder, by: number): void {
    if (by === 0) return
    const count = this.heldBy(holder) + by
    if (count > 0) this.held.set(holder, count)
    else this.held.delete(holder)
    this.taken += by
    if (by < 0 && this.waiting.size > 0) this.wakeWaiters()
  }

  /** Calls back once when the holder has room for so many; at once where it has. Returns how to give up. */
  whenRoom(holder: Holder, count: number, wake: () => void): () => void {
    const before = this.waiting.get(holder)
    if (before === undefined && this.mayTake(holder, count)) {
      wake()
      return () => {}
    }
    const waiter: Waiter = { count, wake }
    if (before === undefined) this.waiting.set(holder, [waiter])
    else before.push(waiter)
    return () => this.giveUp(holder, waiter)
  }

  /** Places for a piece of work. Nothing is taken before the work begins. */
  reserve(holder: Holder, count: number): Reservation {
    let own = 0
    let giveUp = () => {}
    const settle = (count: number) => {
      const by = count - own
      own = count
      this.change(holder, by)
    }
    return {
      take: () => {
        if (!this.mayTake(holder, count)) return false
        settle(count)
        return true
      },
      whenRoom: (wake) => {
        giveUp = this.whenRoom(holder, count, wake)
      },
      settle,
      end: () => {
        giveUp()
        settle(0)
      }
    }
  }

  /** Wakes the waiters whose holders have room now, in the order in which each holder's waiters arrived. */
  private wakeWaiters(): void {
    for (const [holder, waiters] of this.waiting) {
      for (let [first] = waiters; first !== undefined && this.mayTake(holder, first.count); [first] = waiters) {
        waiters.shift()
        if (waiters.length === 0) this.waiting.delete(holder)
        first.wake()
      }
    }
  }

  private giveUp(holder: Holder, waiter: Waiter): void {
    const waiters = this.waiting.get(holder)
    const at = waiters?.indexOf(waiter) ?? -1
    if (at < 0) return
    waiters!.splice(at, 1)
    if (waiters!.length === 0) this.waiting.delete(holder)
    // The waiters behind it may want less.
    this.wakeWaiters()
  }
}
