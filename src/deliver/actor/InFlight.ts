/** The entries that an actor leases: in flight, answered and not yet in the log, or not begun. */
import { Effect } from "effect"
import type { Entry } from "../../queue/Entry.ts"

/** Most attempts of a webhook that wait for the log: an attempt leaves its room when it is answered, not later. */
const unloggedMax = 512

/** Counts requests without an answer, and characters of events under way. Negative when they end. */
type OnHeld = (requests: number, chars: number) => void

/** An entry that has begun. `sharing`: without an answer, it shares the request of another one. */
interface Begun {
  readonly entry: Entry
  state: "sent" | "sharing" | "answered"
}

/**
 * Entries that have begun are in an array, and the maps have their places. A map of the entries themselves would keep
 * their memory: V8 makes room in a map by copying its table, and an old table that it leaves holds all that was in it
 * until the next full collection.
 */
export class InFlight {
  private readonly begun: Array<Begun | undefined> = []
  /** Places in `begun` by id in the stream, and those that are free. */
  private readonly places = {
    urgent: new Map<string, number>(),
    again: new Map<string, number>(),
    queue: new Map<string, number>()
  }
  private readonly free: Array<number> = []
  /** How many of those that have begun are in each state. */
  private readonly counts = { sent: 0, sharing: 0, answered: 0 }
  /** Taken over from other processes, postponed, or read beyond what there was room for. */
  private notBegun: Array<Entry> = []
  private onNone = () => {}
  private onHeld: OnHeld

  constructor(onHeld: OnHeld = () => {}) {
    this.onHeld = onHeld
  }

  /** Requests without an answer. */
  get count(): number {
    return this.counts.sent
  }

  get hasNotBegun(): boolean {
    return this.notBegunCount > 0
  }

  get notBegunCount(): number {
    return this.notBegun.length
  }

  /** Attempts that may begin before the log has to catch up. */
  get unloggedRoom(): number {
    return unloggedMax - this.counts.answered
  }

  /** Its webhook ends: attempts in flight are cancelled, and not reported any more. */
  leave(): void {
    const chars = this.begun.reduce((sum, begun) => sum + (begun?.entry.delivery.body.length ?? 0), 0)
    this.onHeld(-this.count, -chars)
    this.onHeld = () => {}
  }

  all(): ReadonlyArray<Entry> {
    return [...this.begun.flatMap((begun) => begun?.entry ?? []), ...this.notBegun]
  }

  /** Whether at least half of what may be in flight is free: reading then brings a good part, not one entry. */
  isHalfFree(maxInFlight: number): boolean {
    return this.count <= maxInFlight / 2 && this.unloggedRoom >= Math.min(maxInFlight, unloggedMax) / 2
  }

  /** Keeps entries to begin with later. */
  postpone(entries: ReadonlyArray<Entry>): void {
    this.notBegun.push(...entries)
  }

  /** Keeps the entries among these that it does not have already. */
  adopt(entries: ReadonlyArray<Entry>): void {
    const known = new Set(this.all().map(keyOf))
    this.postpone(entries.filter((entry) => !known.has(keyOf(entry))))
  }

  /** Puts the given deliveries that have not begun before the others. */
  prefer(ids: ReadonlySet<string>): void {
    this.notBegun.sort((one, other) => Number(ids.has(other.delivery.id)) - Number(ids.has(one.delivery.id)))
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
    const places = this.places[entry.stream]
    if (places.has(entry.entryId)) return false
    const place = this.free.pop() ?? this.begun.length
    places.set(entry.entryId, place)
    this.begun[place] = { entry, state: "sent" }
    this.tally("sent", 1)
    this.onHeld(0, entry.delivery.body.length)
    return true
  }

  /** Counts attempts that have begun as one: they share a request. */
  countAsOne([first, ...others]: ReadonlyArray<Entry>): void {
    if (first !== undefined) this.set(first, "sent")
    for (const entry of others) this.set(entry, "sharing")
  }

  /** Notes that the answer is there: another attempt may begin. */
  answered(entry: Entry): void {
    this.set(entry, "answered")
  }

  /** Notes that the attempt is logged, or was not made. */
  end({ stream, entryId }: Entry): void {
    const place = this.places[stream].get(entryId)
    const held = place === undefined ? undefined : this.begun[place]
    if (place === undefined || held === undefined) return
    this.places[stream].delete(entryId)
    this.begun[place] = undefined
    this.free.push(place)
    this.tally(held.state, -1)
    this.onHeld(0, -held.entry.delivery.body.length)
    if (this.isNone()) this.onNone()
  }

  /** Succeeds when no attempt is under way and all are logged. */
  readonly awaitNone: Effect.Effect<void> = Effect.callback((resume) => {
    this.onNone = () => resume(Effect.void)
    if (this.isNone()) this.onNone()
  })

  private isNone(): boolean {
    return this.places.urgent.size === 0 && this.places.again.size === 0 && this.places.queue.size === 0
  }

  private set({ stream, entryId }: Entry, state: Begun["state"]): void {
    const place = this.places[stream].get(entryId)
    const held = place === undefined ? undefined : this.begun[place]
    if (held === undefined) return
    this.tally(held.state, -1)
    this.tally(state, 1)
    held.state = state
  }

  private tally(state: Begun["state"], change: number): void {
    this.counts[state] += change
    if (state === "sent") this.onHeld(change, 0)
  }
}

const keyOf = ({ stream, entryId }: Entry): string => `${stream} ${entryId}`
