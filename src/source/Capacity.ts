/**
 * Bounds how far a source may be ahead of capture: the WAL has one order, so events of a flooding source would be before
 * those of all others. A source that has to wait also rests while other sources of this process have events: the
 * deliveries of its events take the processor from theirs. Waits for capture where events are compared with the change
 * log.
 *
 * While capture takes nothing, as where Redis is away, a source is read slowly: its own server must not keep its WAL for
 * our faults.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Config.ts"
import { SourceFailed } from "./SourceFailed.ts"

/** Most events of a source that are relayed and not captured yet. */
const aheadMax = 10

/** Pause between two comparisons, and the longest wait, milliseconds. */
const comparePause = "5 millis"
const waitMillisMax = 250

/** A source counts as active for this long after its last events, milliseconds. */
const activeMillis = 1000

/** The rest after a wait, as a multiple of the wait. */
const restFactor = 3

/** Longest rest, milliseconds. */
const restMillisMax = 250

/** When each source of this process relayed its last events, milliseconds since 1970. */
export type LastEvents = Map<number, number>

/** How long a source rests that had to wait from `began` to `now`: not at all while no other source has events. */
export const restMillis = (
  source: number,
  last: ReadonlyMap<number, number>,
  { began, now }: { readonly began: number; readonly now: number }
): number => {
  const isOtherActive = [...last].some(([other, time]) => other !== source && time > began - activeMillis)
  return isOtherActive ? Math.min(restMillisMax, restFactor * (now - began)) : 0
}

/** Longest wait for everything to be captured, milliseconds: then the session fails, and is tried again. */
const capturedMillisMax = 5000

interface Relayed {
  /** The place in the WAL of this database behind which its events are. */
  readonly lsn: string
  readonly events: number
}

export class Capacity {
  private ahead: ReadonlyArray<Relayed> = []
  private readonly source: number
  private readonly last: LastEvents

  constructor(source: number, last: LastEvents) {
    this.source = source
    this.last = last
  }

  /** Notes events that were relayed. */
  readonly note = Effect.fnUntraced({ self: this }, function* (this: Capacity, relayed: Relayed) {
    if (relayed.events === 0) return
    this.ahead = [...this.ahead, relayed]
    this.last.set(this.source, yield* Clock.currentTimeMillis)
  })

  /** Waits until capture has most of them. */
  readonly free = Effect.gen({ self: this }, function* (this: Capacity) {
    if (this.events <= aheadMax) return
    const began = yield* Clock.currentTimeMillis
    let now = began
    while (this.events > aheadMax && now - began < waitMillisMax) {
      yield* this.forget()
      if (this.events > aheadMax) yield* Effect.sleep(comparePause)
      now = yield* Clock.currentTimeMillis
    }
    yield* Effect.sleep(restMillis(this.source, this.last, { began, now }))
  })

  private get events(): number {
    return this.ahead.reduce((sum, { events }) => sum + events, 0)
  }

  private readonly forget = Effect.fnUntraced({ self: this }, function* (this: Capacity) {
    const left = yield* uncaptured(this.ahead.map(({ lsn }) => lsn))
    this.ahead = this.ahead.slice(this.ahead.length - left)
  })
}

/** How many of these places in the WAL of this database capture has not passed. */
const uncaptured = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const { slot } = yield* Settings
  const [row] = yield* sql<{ readonly left: number }>`
    select count(*)::int as left from unnest(${places}::text[]) l (lsn)
     where l.lsn::pg_lsn > coalesce((select confirmed_flush_lsn from pg_replication_slots where slot_name = ${slot}), '0/0')`
  return row!.left
})

/** Waits until all that has been relayed so far is in the change log. */
export const untilCaptured = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [end] = yield* sql<{ readonly lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`
  const until = (yield* Clock.currentTimeMillis) + capturedMillisMax
  while ((yield* uncaptured([end!.lsn])) > 0) {
    if ((yield* Clock.currentTimeMillis) > until) {
      const message = `events of this source that capture has not read yet must be compared first: they end at ${end!.lsn}`
      return yield* new SourceFailed({ reason: "Restored", message })
    }
    yield* Effect.sleep(comparePause)
  }
})
