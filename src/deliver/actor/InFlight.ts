/** The entries that an actor holds: those in flight, those answered and not yet in the log, and those not begun. */
import { Effect } from "effect"
import type { Entry } from "../../stream/Entry.ts"

/** Most attempts of a webhook that wait for the log: an attempt leaves its room when it is answered, not later. */
const unloggedMax = 512

export class InFlight {
  /** Entries that have begun, by id in their stream; those of them that are answered. */
  private readonly begun = { again: new Map<string, Entry>(), queue: new Map<string, Entry>() }
  private readonly unlogged = new Set<Entry>()
  /** Entries without an answer that share the request of another one. */
  private readonly sharing = new Set<Entry>()
  /** Taken over from other processes, postponed, or read beyond what there was room for. */
  private notBegun: Array<Entry> = []
  private onNone = () => {}

  /** Requests without an answer. */
  get count(): number {
    return this.begun.again.size + this.begun.queue.size - this.unlogged.size - this.sharing.size
  }

  get hasNotBegun(): boolean {
    return this.notBegun.length > 0
  }

  /** Attempts that may begin before the log has to catch up. */
  get unloggedRoom(): number {
    return unloggedMax - this.unlogged.size
  }

  all(): ReadonlyArray<Entry> {
    return [...this.begun.again.values(), ...this.begun.queue.values(), ...this.notBegun]
  }

  /** Whether at least half of what may be in flight is free: reading then brings a good part, not one entry. */
  isHalfFree(maxInFlight: number): boolean {
    return this.count <= maxInFlight / 2 && this.unlogged.size <= unloggedMax / 2
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

  /** Keeps entries that were taken out, before the others. */
  putBack(entries: ReadonlyArray<Entry>): void {
    this.notBegun.unshift(...entries)
  }

  /** Takes out up to `count` entries that have not begun. */
  takeNotBegun(count: number): ReadonlyArray<Entry> {
    return this.notBegun.splice(0, count)
  }

  /** Notes that the attempt begins; false if the entry is in flight already. */
  begin(entry: Entry): boolean {
    const begun = this.begun[entry.stream]
    if (begun.has(entry.entryId)) return false
    begun.set(entry.entryId, entry)
    return true
  }

  /** Counts attempts that have begun as one: they share a request. */
  countAsOne([first, ...others]: ReadonlyArray<Entry>): void {
    if (first !== undefined) this.sharing.delete(first)
    for (const entry of others) this.sharing.add(entry)
  }

  /** Notes that the answer is there: another attempt may begin. */
  answered(entry: Entry): void {
    const held = this.begun[entry.stream].get(entry.entryId)
    if (held === undefined) return
    this.sharing.delete(held)
    this.unlogged.add(held)
  }

  /** Notes that the attempt is logged, or did not come to be. */
  end(entry: Entry): void {
    const begun = this.begun[entry.stream]
    const held = begun.get(entry.entryId)
    if (held === undefined) return
    begun.delete(entry.entryId)
    this.unlogged.delete(held)
    this.sharing.delete(held)
    if (this.isNone()) this.onNone()
  }

  /** Succeeds when no attempt is under way and all are logged. */
  readonly awaitNone: Effect.Effect<void> = Effect.callback((resume) => {
    this.onNone = () => resume(Effect.void)
    if (this.isNone()) this.onNone()
  })

  private isNone(): boolean {
    return this.begun.again.size === 0 && this.begun.queue.size === 0
  }
}

const keyOf = ({ stream, entryId }: Entry): string => `${stream} ${entryId}`
