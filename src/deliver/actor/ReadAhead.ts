/**
 * How many entries a read asks for: where they go fast, more than there is room for at the moment. Processes that share
 * a webhook have little room each, and a read costs much the same for 8 entries as for 64.
 *
 * What a process reads ahead no other one can begin with, so it reads no more than it needs for a moment, at the pace of
 * the last read.
 */

/** Most entries of a read that asks for more than there is room for. */
const aheadMax = 64

/** How long the entries of a read may last, milliseconds. */
const aheadMillis = 40

export class ReadAhead {
  private readonly now: () => number
  /** The last read: when it was, and how many entries it brought. */
  last = { at: Number.NEGATIVE_INFINITY, count: 0 }

  /** `now` gives milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** How many entries to read, all earlier ones having begun, where there is room for so many. */
  portion(room: number): number {
    const perMilli = this.last.count / Math.max(this.now() - this.last.at, 1)
    return Math.max(room, Math.min(Math.floor(perMilli * aheadMillis), aheadMax))
  }

  /**
   * How many entries to read before there is room for any, while those before them are under way; 0 where they go so
   * slowly, or so many are held, that it can wait.
   */
  beforehand(held: number): number {
    const portion = this.portion(0)
    return held > portion / 2 ? 0 : portion
  }

  /** Notes a read that brought so many. */
  brought(count: number): void {
    this.last = { at: this.now(), count }
  }
}
