/**
 * Requests that wait for a worker, in a queue per owner (a webhook, or a user of the API).
 *
 * The owner with the least render time is served first (start-time fair queueing). An owner that was idle starts at the
 * current minimum, so idle time earns no credit. An owner whose request ran out of time is penalised: its requests run
 * alone, in the one worker kept for them, and after a pause that doubles with each overrun. A request that cannot
 * begin blocks its owner. Pure: the caller passes the time.
 */

export interface Waiting {
  readonly owner: string
  /** Characters that travel to the worker. */
  readonly chars: number
  /** Whether the caller has given it up. */
  cancelled: boolean
  /** Whether it was in a batch whose worker was ended because of another request. */
  isLost?: boolean
}

/** Pause of an owner after its first overrun, and the longest one, milliseconds. */
export const firstPauseMillis = 500
export const longestPauseMillis = 30_000

/** Requests that succeed in a row for which half of the overruns are forgiven. */
export const forgivenAfter = 5

/** Most idle owners whose render time is remembered. */
const idleOwnersMax = 10_000

interface Owner<A> {
  readonly name: string
  waiting: Array<A>
  /** Requests in workers. */
  out: number
  /** Render time, on the scale of `clock`, milliseconds. */
  used: number
  /** Whether one of its requests has succeeded: the first one runs alone. */
  isProven: boolean
  overruns: number
  succeeded: number
  /** When a penalised owner may continue. */
  notBefore: number
}

export class FairQueue<A extends Waiting> {
  private readonly owners = new Map<string, Owner<A>>()
  /** Owners with waiting requests. */
  private readonly active = new Set<Owner<A>>()
  /** The request for which an owner is blocked, by the owner's name. */
  private readonly blocked = new Map<string, A>()
  /** Used time of the owner that was served last. */
  private clock = 0
  private count = 0
  /** A first request of an owner is in a worker. */
  private trying: A | undefined

  /** Whether a first request of an unknown owner is in a worker. */
  get isTrying(): boolean {
    return this.trying !== undefined
  }

  get size(): number {
    return this.count
  }

  add(request: A): void {
    const owner = this.ownerOf(request.owner)
    if (owner.waiting.length === 0 && owner.out === 0) owner.used = Math.max(owner.used, this.clock)
    owner.waiting.push(request)
    this.active.add(owner)
    this.count++
  }

  /** Requests that no worker has begun, or whose worker was ended (`isLost`), wait again before those of their owner. */
  giveBack(requests: ReadonlyArray<A>, isLost: boolean): void {
    for (const request of requests.toReversed()) {
      const owner = this.release(request)
      if (isLost) request.isLost = true
      owner.waiting.unshift(request)
      this.active.add(owner)
      this.count++
    }
  }

  /** The request cannot begin, even in a free worker: its owner gets no turn until it is unblocked. */
  block(request: A): void {
    this.blocked.set(request.owner, request)
  }

  isBlocked({ owner }: A): boolean {
    return this.blocked.has(owner)
  }

  /** The request may begin, or was given up. Returns whether its owner was blocked for it. */
  unblock(request: A): boolean {
    return this.blocked.get(request.owner) === request && this.blocked.delete(request.owner)
  }

  /** The request was answered after so many milliseconds. */
  ended(request: A, millis: number): void {
    const owner = this.release(request)
    owner.used += millis
    owner.isProven = true
    if (owner.overruns === 0 || ++owner.succeeded < forgivenAfter) return
    owner.succeeded = 0
    owner.overruns >>= 1
    // No longer penalised, it starts like an owner that was idle.
    if (owner.overruns === 0) owner.used = Math.min(owner.used, this.clock)
  }

  /** The request ran out of time, or took its worker along. */
  overran(request: A, millis: number, now: number): void {
    const owner = this.release(request)
    owner.used += millis
    owner.overruns++
    owner.succeeded = 0
    owner.notBefore = now + Math.min(firstPauseMillis * 2 ** (owner.overruns - 1), longestPauseMillis)
  }

  /**
   * Takes a batch of at most so many requests and characters from owners that are not penalised. `mayTry`: also from
   * unknown owners, one request in all at a time and alone.
   */
  take(max: number, maxChars: number, mayTry: boolean): ReadonlyArray<A> {
    const ready = this.waitingOwners().filter(
      (owner) => owner.overruns === 0 && (owner.isProven || (mayTry && this.trying === undefined))
    )
    const [first, ...others] = ready.toSorted(byUsed)
    if (first === undefined) return []
    this.clock = Math.max(this.clock, first.used)
    if (!first.isProven) {
      this.trying = this.pick(first)
      return [this.trying]
    }
    // A request that was lost is batched with those of its owner only: no other owner can have it lost again.
    if (first.waiting[0]?.isLost === true) return this.pickEach([first], true, max, maxChars)
    return this.pickEach([first, ...others.filter(({ isProven }) => isProven)], false, max, maxChars)
  }

  /** Takes one request of a penalised owner whose pause is over, or of an unknown one. */
  takePenalised(now: number): A | undefined {
    const ready = this.waitingOwners().filter((owner) => isPenalised(owner, true) && owner.notBefore <= now)
    const [first] = ready.toSorted(byUsed)
    return first === undefined ? undefined : this.pick(first)
  }

  /** When the next penalised owner may continue, or an unknown one; undefined when none waits. */
  nextPenalised(andUnknown: boolean): number | undefined {
    const penalised = this.waitingOwners().filter((owner) => isPenalised(owner, andUnknown))
    return penalised.length === 0 ? undefined : Math.min(...penalised.map(({ notBefore }) => notBefore))
  }

  /** Removes and returns all requests, to fail them. */
  drain(): ReadonlyArray<A> {
    const all = Array.from(this.active, ({ waiting }) => waiting.splice(0)).flat()
    this.active.clear()
    this.count = 0
    return all
  }

  /** One of each owner in turn. */
  private pickEach(owners: ReadonlyArray<Owner<A>>, areLost: boolean, max: number, maxChars: number): ReadonlyArray<A> {
    const batch: Array<A> = []
    let chars = 0
    let serving = owners
    while (serving.length > 0) {
      serving = serving.filter((owner) => this.hasWaiting(owner) && (owner.waiting[0]?.isLost === true) === areLost)
      for (const owner of serving) {
        const next = owner.waiting[0]!
        if (batch.length > 0 && (batch.length >= max || chars + next.chars > maxChars)) return batch
        chars += next.chars
        batch.push(this.pick(owner))
      }
    }
    return batch
  }

  private pick(owner: Owner<A>): A {
    this.count--
    owner.out++
    const request = owner.waiting.shift()!
    if (owner.waiting.length === 0) this.active.delete(owner)
    return request
  }

  /** Removes the request from those in workers. */
  private release(request: A): Owner<A> {
    if (this.trying === request) this.trying = undefined
    const owner = this.ownerOf(request.owner)
    owner.out--
    return owner
  }

  private waitingOwners(): ReadonlyArray<Owner<A>> {
    return [...this.active].filter((owner) => !this.blocked.has(owner.name) && this.hasWaiting(owner))
  }

  private hasWaiting(owner: Owner<A>): boolean {
    while (owner.waiting[0]?.cancelled === true) {
      owner.waiting.shift()
      this.count--
    }
    if (owner.waiting.length > 0) return true
    this.active.delete(owner)
    return false
  }

  private ownerOf(name: string): Owner<A> {
    const known = this.owners.get(name)
    if (known !== undefined) return known
    if (this.owners.size >= idleOwnersMax) this.forgetIdle()
    const owner: Owner<A> = {
      name,
      waiting: [],
      out: 0,
      used: 0,
      isProven: false,
      overruns: 0,
      succeeded: 0,
      notBefore: 0
    }
    this.owners.set(name, owner)
    return owner
  }

  private forgetIdle(): void {
    for (const { name, waiting, out } of this.owners.values()) {
      if (waiting.length === 0 && out === 0) this.owners.delete(name)
    }
  }
}

const isPenalised = (
  { overruns, isProven }: { readonly overruns: number; readonly isProven: boolean },
  andUnknown: boolean
): boolean => overruns > 0 || (andUnknown && !isProven)

const byUsed = (one: { readonly used: number }, other: { readonly used: number }): number => one.used - other.used
