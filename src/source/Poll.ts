/**
 * One session of a source that is polled, where its server allows no logical replication: reads new rows of the table
 * every second. A row counts by its transaction, not by its id: one that is committed late is found late, and not missed.
 */
import { Effect } from "effect"
import { paused } from "../eventloop/Pace.ts"
import { fill } from "./Fill.ts"
import { snapshotMark } from "./netbox/NetBoxTable.ts"
import type { OpenSource } from "./OpenSource.ts"
import { dropSlot } from "./slot/SourceSlot.ts"
import { IdFloor } from "./state/IdFloor.ts"
import { type KnownState, type Lead, beginAt, noteReading, readIds, settle, takeLead } from "./state/SourceState.ts"

/** A process that gave no sign for this long reads no more, milliseconds. */
const silentMillisMax = 10_000

/** Never succeeds; fails with the reason why reading ended. `reading`: runs once when it reads. */
export const pollSession = Effect.fnUntraced(function* <E, R>(source: OpenSource, reading: Effect.Effect<void, E, R>) {
  const { lead, state } = yield* takeLead(source.row, silentMillisMax)
  if (state.formerSlot !== null) yield* dropSlot(source.sql, state.formerSlot)
  yield* reading
  let mark = state.mark ?? (yield* firstMark(source, lead, state))
  const read = new Set(yield* readIds(source.row.id))
  const floor = new IdFloor(mark.id)
  const turn = Effect.gen(function* () {
    const { next, events } = yield* fill(source, lead, mark, read)
    floor.note(next)
    mark = { xid: next.xid, id: floor.under(next) }
    yield* settle(lead, next, mark.id)
    if (events > 0) {
      read.clear()
      for (const id of yield* readIds(source.row.id)) read.add(id)
    }
    yield* noteReading(lead, { lagBytes: null, retainedBytes: null }, "")
  })
  return yield* Effect.forever(
    Effect.andThen(
      turn,
      paused(({ capture }) => capture.reportMillis)
    )
  )
})

/** The changes before the first reading are no events. */
const firstMark = Effect.fnUntraced(function* (source: OpenSource, lead: Lead, { systemId, timeline }: KnownState) {
  const { xid, lastId } = yield* snapshotMark(source.sql, source.table)
  const mark = { xid, id: lastId }
  yield* beginAt(lead, { systemId, timeline }, mark)
  return mark
})
