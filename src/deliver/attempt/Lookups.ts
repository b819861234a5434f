/**
 * Shares lookups of names among webhooks. Node asks the system's resolver, which alone knows the hosts file, the search
 * domains and whatever else the machine has configured; it blocks a thread of the process for each name, and for a dead
 * name as long as the machine's settings say, often 10 to 30 seconds.
 *
 * So a webhook has few lookups at a time, and a lookup that takes long is counted apart: slow ones cannot take the places
 * of the others, and webhooks whose lookups were slow share their own places from then on.
 */

interface Bounds {
  /** Most lookups at a time that are not slow, and most that are begun for webhooks whose lookups were. */
  readonly quick: number
  readonly slow: number
  /** Most at a time for one webhook. */
  readonly perOwner: number
  /** Most threads at a time. */
  readonly threads: number
  /** A lookup that takes longer is slow, milliseconds. */
  readonly slowMillis: number
}

/** Threads that `bin/rackwire.mjs` gives to the process, less those for files and cryptography. */
export const usualBounds: Bounds = { quick: 8, slow: 4, perOwner: 2, threads: 14, slowMillis: 500 }

interface Waiting {
  readonly owner: object
  readonly start: () => void
}

export class Lookups {
  private readonly bounds: Bounds
  private readonly slowOwners = new WeakSet<object>()
  private readonly running = new WeakMap<object, number>()
  private waiting: Array<Waiting> = []
  private readonly counts = { quick: 0, slow: 0 }

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /**
   * Runs the lookup when it is its owner's turn. Resolves and rejects as it does; rejects without running it where its
   * turn comes after `patienceMillis`, when nobody waits for it any more.
   */
  run<A>(owner: object, patienceMillis: number, lookUp: () => Promise<A>): Promise<A> {
    const asked = performance.now()
    return new Promise((resolve, reject) => {
      const start = () => {
        if (performance.now() - asked > patienceMillis) return reject(new Error("The name was not looked up in time."))
        void this.carryOut(owner, lookUp).then(resolve, reject)
      }
      this.waiting.push({ owner, start })
      this.startNext()
    })
  }

  private async carryOut<A>(owner: object, lookUp: () => Promise<A>): Promise<A> {
    let kind: keyof typeof this.counts = this.slowOwners.has(owner) ? "slow" : "quick"
    this.counts[kind] += 1
    this.running.set(owner, this.runningOf(owner) + 1)
    const isSlow = setTimeout(() => {
      this.slowOwners.add(owner)
      this.counts[kind] -= 1
      kind = "slow"
      this.counts.slow += 1
      this.startNext()
    }, this.bounds.slowMillis).unref()
    try {
      return await lookUp()
    } finally {
      clearTimeout(isSlow)
      this.counts[kind] -= 1
      this.running.set(owner, this.runningOf(owner) - 1)
      this.startNext()
    }
  }

  private runningOf(owner: object): number {
    return this.running.get(owner) ?? 0
  }

  /** Starts those who may begin, in the order in which they came. */
  private startNext(): void {
    for (;;) {
      const next = this.waiting.findIndex(({ owner }) => this.mayBegin(owner))
      if (next < 0) return
      const [{ start }] = this.waiting.splice(next, 1) as [Waiting]
      start()
    }
  }

  private mayBegin(owner: object): boolean {
    const { quick, slow, perOwner, threads } = this.bounds
    if (this.runningOf(owner) >= perOwner || this.counts.quick + this.counts.slow >= threads) return false
    return this.slowOwners.has(owner) ? this.counts.slow < slow : this.counts.quick < quick
  }
}
