/**
 * One session of a source that is polled, where its server allows no logical replication: reads new rows of the table
 * every second. A row that is committed late is found late, and not missed.
 */
import { Effect } from "effect"
import { paused } from "../eventloop/Pace.ts"
import { fill } from "./Fill.ts"
import type { OpenSource } from "./OpenSource.ts"
import { beginRestored, lacksLast, refuseOlder } from "./Restored.ts"
import { dropSlot } from "./slot/SourceSlot.ts"
import { IdFloor } from "./state/IdFloor.ts"
import { type KnownState, type Lead, beginAt, noteReading, readIds, settle, takeLead } from "./state/SourceState.ts"

/** A process that gave no sign for this long reads no more, milliseconds. */
const silentMillisMax = 10_000

/** Never succeeds; fails with the reason why reading ended. `reading`: runs once when it reads. */
export const pollSession = Effect.fnUntraced(function* <E, R>(source: OpenSource, reading: Effect.Effect<void, E, R>) {
  const { lead, state } = yield* takeLead(source.row, silentMillisMax)
  if (state.formerSlot !== null) yield* dropSlot(source.sql, state.formerSlot)
  const known = state.settledId ?? (yield* firstId(source, lead, state))
  // The status is a promise: a change that is committed after it is an event.
  yield* reading
  let { settledId } = (yield* lacksLast(source, state))
    ? yield* beginRestored(source, lead, state, state)
    : { settledId: known }
  const read = new Set(yield* readIds(source.row.id))
  const floor = new IdFloor(settledId)
  const turn = Effect.gen(function* () {
    yield* refuseOlder(source, lead)
    const { next, events } = yield* fill(source, lead, settledId, read)
    floor.note(next)
    settledId = floor.under(next)
    yield* settle(lead, settledId)
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

/** Newest rows of which each is known by its id: rows below them may be of transactions that are open. */
const newestRows = 10_000n

/** Begins behind the rows that are there: they are no events. Those of transactions that are open will be. */
const firstId = Effect.fnUntraced(function* (
  { sql, table }: OpenSource,
  lead: Lead,
  { systemId, timeline }: KnownState
) {
  const rows = yield* sql.unsafe<{ readonly id: string }>(
    `select id::text as id from ${table.name} c where c.id > (select max(id) - ${newestRows} from ${table.name}) order by c.id`
  )
  const before = BigInt(rows.at(-1)?.id ?? 0) - newestRows
  const settledId = `${before > 0n ? before : 0n}`
  yield* beginAt(lead, { systemId, timeline }, settledId, { read: new Set(rows.map(({ id }) => id)) })
  return settledId
})
