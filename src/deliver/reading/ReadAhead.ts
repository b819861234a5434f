/**
 * How many entries a read requests: where they are sent fast, more than there is room for at the moment. Processes that
 * share a webhook have little room each, and a read costs much the same for 8 entries as for 64.
 *
 * What a process reads ahead no other one can begin with, so it reads no more than it needs for a moment, at the pace at
 * which its attempts begin.
 */

/** Most entries of a read that requests more than there is room for. */
const aheadMax = 128

/** How long the entries of a read may last, milliseconds. */
const aheadMillis = 40

/** Shortest time in which a pace is measured, milliseconds: attempts begin by the dozen. */
const measuredMillis = 10

export class ReadAhead {
  private readonly now: () => number
  /** Attempts that began in a millisecond, as it was measured last. */
  private pace = 0
  /** Attempts since then. */
  private since: { readonly at: number; readonly count: number }

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.now = now
    this.since = { at: now(), count: 0 }
  }

  /** Notes that so many attempts begin. */
  began(count: number): void {
    this.since = { ...this.since, count: this.since.count + count }
  }

  /** How many entries to read, all earlier ones having begun, where there is room for so many. */
  portion(room: number): number {
    const millis = this.now() - this.since.at
    if (millis >= measuredMillis) {
      this.pace = this.since.count / millis
      this.since = { at: this.now(), count: 0 }
    }
    return Math.max(room, Math.min(Math.floor(this.pace * aheadMillis), aheadMax))
  }

  /**
   * How many entries to read before there is room for any, while those before them are under way; 0 where they go so
   * slowly, or so many are held, that it can wait.
   */
  beforehand(held: number): number {
    const portion = this.portion(0)
    return held > portion / 2 ? 0 : portion
  }
}
