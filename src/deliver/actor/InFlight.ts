/** The entries that an actor holds: those in flight, those answered and not yet in the log, and those not begun. */
import type { Entry } from "../../stream/Entry.ts"

/** Most attempts of a webhook that wait for the log: an attempt leaves its room when it is answered, not later. */
const unloggedMax = 256

export class InFlight {
  private readonly attempts = new Map<string, Entry>()
  private readonly unlogged = new Map<string, Entry>()
  /** Taken over from other processes, postponed, or read beyond what there was room for. */
  private notBegun: Array<Entry> = []

  /** Attempts without an answer. */
  get count(): number {
    return this.attempts.size
  }

  get hasNotBegun(): boolean {
    return this.notBegun.length > 0
  }

  /** Attempts that may begin before the log has to catch up. */
  get unloggedRoom(): number {
    return unloggedMax - this.unlogged.size
  }

  all(): ReadonlyArray<Entry> {
    return [...this.attempts.values(), ...this.unlogged.values(), ...this.notBegun]
  }

  /** Whether at least half of what may be in flight is free: reading then brings a good part, not one entry. */
  isHalfFree(maxInFlight: number): boolean {
    return this.attempts.size <= maxInFlight / 2 && this.unlogged.size <= unloggedMax / 2
  }

  /** Keeps entries to begin with later. */
  postpone(entries: ReadonlyArray<Entry>): void {
    this.notBegun.push(...entries)
  }

  /** Keeps the entries of these that it does not hold already. */
  adopt(entries: ReadonlyArray<Entry>): void {
    const known = new Set(this.all().map(keyOf))
    this.postpone(entries.filter((entry) => !known.has(keyOf(entry))))
  }

  /** Takes out up to `count` entries that have not begun. */
  takeNotBegun(count: number): ReadonlyArray<Entry> {
    return this.notBegun.splice(0, count)
  }

  /** Notes that the attempt begins; false if the entry is in flight already. */
  begin(entry: Entry): boolean {
    const key = keyOf(entry)
    if (this.attempts.has(key) || this.unlogged.has(key)) return false
    this.attempts.set(key, entry)
    return true
  }

  /** Notes that the answer is there: another attempt may begin. */
  answered(entry: Entry): void {
    const key = keyOf(entry)
    this.attempts.delete(key)
    this.unlogged.set(key, entry)
  }

  /** Notes that the attempt is logged, or did not come to be. */
  end(entry: Entry): void {
    const key = keyOf(entry)
    this.attempts.delete(key)
    this.unlogged.delete(key)
  }
}

const keyOf = ({ stream, entryId }: Entry): string => `${stream} ${entryId}`
