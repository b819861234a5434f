/** One session of a source that is streamed: takes its slot, fills what no slot had, and relays until something fails. */
import { Deferred, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { asCaptureError, CaptureError } from "../capture/CaptureError.ts"
import { endsIn } from "../capture/slot/Origin.ts"
import { Walsender } from "../capture/wal/Walsender.ts"
import { reveal } from "../Config.ts"
import { formatLsn, parseLsn } from "../event/Lsn.ts"
import { Pace, paused } from "../eventloop/Pace.ts"
import { addressOf } from "../postgres/PostgresUrl.ts"
import { type Begun, consume } from "./Consume.ts"
import { fill } from "./Fill.ts"
import { type SourceMoment, snapshotMark } from "./netbox/NetBoxTable.ts"
import type { OpenSource } from "./OpenSource.ts"
import { beginRestored, lacksLast, refuseOlder } from "./Restored.ts"
import { confirmedIn, dropSlot, ensurePublication, ensureSlot, limitWal, measureSlot } from "./slot/SourceSlot.ts"
import { SourceStream } from "./slot/SourceStream.ts"
import { IdFloor } from "./state/IdFloor.ts"
import { noteLoss } from "./state/Loss.ts"
import {
  type KnownState,
  type Lead,
  beginAt,
  highestRead,
  noteIdentity,
  noteReading,
  readIds,
  settle,
  takeLead
} from "./state/SourceState.ts"

/** Never succeeds; fails with the reason why reading ended. `reading`: runs once when it reads. */
export const streamSession = Effect.fnUntraced(function* <E, R>(
  source: OpenSource,
  reading: Effect.Effect<void, E, R>
) {
  const { sql, table, row, url } = source
  yield* Effect.forkScoped(limitWal(sql, row))
  yield* ensurePublication(sql, table.name, row)
  const walsender = yield* Effect.acquireRelease(
    fromWalsender(() => Walsender.connect(addressOf(reveal(url)))),
    (walsender) => Effect.sync(() => walsender.close())
  )
  const identity = yield* identityOf(walsender)
  // Before the slot is made: it has everything that is committed later.
  const before = yield* snapshotMark(sql, table)
  yield* ensureSlot(sql, row)
  const [[pid] = []] = yield* fromWalsender(() => walsender.query("select pg_backend_pid()"))
  const stream = new SourceStream(walsender, table.name)
  const [[version] = []] = yield* fromWalsender(() => walsender.query("show server_version_num"))
  yield* fromWalsender(() => stream.start(row, Number(version)))
  // Now nobody else can drop the slot, or read it.
  const slotLsn = yield* confirmedIn(sql, row.slot)
  const { lead, state } = yield* takeLead(row)
  if (state.formerSlot !== null && state.formerSlot !== row.slot) yield* dropSlot(sql, state.formerSlot)
  if (state.settledId === null) yield* beginAt(lead, identity, before.lastId)
  // The status is a promise, also if this process dies now: a change that is committed after it is an event.
  yield* reading
  yield* Effect.forkScoped(keepAlive(stream, sql, Number(pid)))
  const begun = yield* begin({ source, lead, state, identity, before, slotLsn })
  return yield* Effect.raceAllFirst([
    consume(source, lead, stream, begun),
    measure({ source, lead, stream, floor: begun.floor, pid: Number(pid) }),
    Deferred.await(stream.ended)
  ])
})

const fromWalsender = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: asCaptureError })

interface Identity {
  readonly systemId: string
  readonly timeline: string
  /** Where each timeline before this one ended. */
  readonly ends: ReadonlyMap<number, string>
}

const identityOf = Effect.fnUntraced(function* (walsender: Walsender) {
  const [[systemId, timeline] = []] = yield* fromWalsender(() => walsender.query("IDENTIFY_SYSTEM"))
  const history = timeline === "1" ? [] : yield* fromWalsender(() => walsender.query(`TIMELINE_HISTORY ${timeline}`))
  return {
    ...{ systemId: systemId ?? "", timeline: timeline ?? "" },
    ends: endsIn(history[0]?.[1] ?? "")
  } satisfies Identity
})

/** Whether places in the WAL mean something else than they did: it is another server, or an older copy. */
const isMoved = (
  { systemId, timeline, confirmedLsn }: KnownState,
  identity: Identity,
  { lsn }: Pick<SourceMoment, "lsn">
): boolean => {
  if (systemId === null) return false
  if (systemId !== identity.systemId) return true
  const end = timeline === identity.timeline ? lsn : identity.ends.get(Number(timeline))
  if (end === undefined) return true
  return confirmedLsn !== null && parseLsn(confirmedLsn) > parseLsn(end)
}

interface Beginning {
  readonly source: OpenSource
  readonly lead: Lead
  readonly state: KnownState
  readonly identity: Identity
  /** The moment before the slot was made, if it is new. */
  readonly before: SourceMoment
  /** The slot has the changes behind this place. */
  readonly slotLsn: string | undefined
}

interface BegunStream extends Begun {
  readonly floor: IdFloor
}

const begin = Effect.fnUntraced(function* ({ source, lead, state, identity, before, slotLsn }: Beginning) {
  const { settledId } = state
  const moved = isMoved(state, identity, before)
  if (settledId === null) {
    const floor = new IdFloor(before.lastId)
    return { read: new Set(), settledId: before.lastId, from: 0n, floor } satisfies BegunStream
  }
  if ((yield* lacksLast(source, state)) || (moved && state.lastId === null)) {
    const begun = yield* beginRestored(source, lead, state, identity, before.lsn)
    yield* settle(lead, begun.settledId, slotLsn)
    return { ...begun, from: parseLsn(before.lsn), floor: new IdFloor(begun.settledId) } satisfies BegunStream
  }
  yield* noteIdentity(lead, identity, moved ? before.lsn : undefined)
  const read = new Set(yield* readIds(source.row.id))
  const floor = new IdFloor(settledId)
  if (!moved && !lacksChanges(state, slotLsn)) {
    return { read, settledId, from: parseLsn(state.confirmedLsn!), floor } satisfies BegunStream
  }
  yield* noteMissing(source, lead)
  const { events } = yield* fill(source, lead, settledId, read)
  yield* settle(lead, settledId, slotLsn)
  yield* Effect.logWarning(
    `source ${source.row.name}: ${events} changes that the slot ${source.row.slot} does not have were read from the table`
  )
  // The slot of a copy is older than the copy.
  return { read, settledId, from: moved ? parseLsn(before.lsn) : 0n, floor } satisfies BegunStream
})

/**
 * Whether changes that are not relayed may be before those of the slot: it was made anew, perhaps by a process that died
 * before it read them, or this database was restored from a backup.
 */
const lacksChanges = ({ confirmedLsn }: KnownState, slotLsn: string | undefined): boolean =>
  confirmedLsn === null || slotLsn === undefined || parseLsn(slotLsn) > parseLsn(confirmedLsn)

/**
 * Notes rows that the table has no longer, though they may not have been read: no row is left of those that were. Ids of
 * transactions that were rolled back cannot be distinguished from these.
 */
const noteMissing = Effect.fnUntraced(function* ({ row, sql, table }: OpenSource, lead: Lead) {
  const last = yield* highestRead(lead)
  const [found] = yield* sql.unsafe<{ readonly first: string }>(
    `select min(id)::text as first from ${table.name} having min(id) > $1::text::bigint + 1`,
    [last]
  )
  if (found === undefined) return
  const span = `from ${BigInt(last) + 1n} to ${BigInt(found.first) - 1n}`
  yield* noteLoss(
    row,
    `it had no slot, and its retention deleted the changes ${span} meanwhile, unless they were rolled back: no webhook heard of them`
  )
})

interface Measured {
  readonly source: OpenSource
  readonly lead: Lead
  readonly stream: SourceStream
  readonly floor: IdFloor
  /** The session that reads the slot. */
  readonly pid: number
}

/** Notes moments up to which everything is relayed, and measures the slot. */
const measure = Effect.fnUntraced(function* ({ source, lead, stream, floor, pid }: Measured) {
  const { row, sql, table } = source
  let pending: SourceMoment | undefined
  const turn = Effect.gen(function* () {
    // Changes count as read only while they are published.
    yield* ensurePublication(sql, table.name, row, pid)
    yield* refuseOlder(source, lead)
    if (pending !== undefined && stream.relayed >= parseLsn(pending.lsn)) {
      yield* settle(lead, floor.under(pending))
      pending = undefined
    }
    if (pending === undefined) {
      pending = yield* snapshotMark(sql, table)
      floor.note(pending)
    }
    const gauge = yield* measureSlot(sql, row.slot)
    const { relayed } = stream
    yield* noteReading(
      lead,
      { lagBytes: gauge?.lagBytes ?? null, retainedBytes: gauge?.retainedBytes ?? null },
      "",
      formatLsn(relayed)
    )
    stream.noteStored(relayed)
    stream.report()
  })
  return yield* Effect.forever(
    Effect.andThen(
      turn,
      paused(({ capture }) => capture.reportMillis)
    )
  )
})

/** Reports to the server, also while nothing is sent, and ends the session if its connection is dead. */
const keepAlive = Effect.fnUntraced(function* (stream: SourceStream, sql: SqlClient.SqlClient, pid: number) {
  const { silenceMillis } = (yield* Pace).servers
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* paused(({ capture }) => capture.reportMillis)
      const { silentMillis } = stream
      stream.report(silentMillis > silenceMillis / 2)
      if (silentMillis <= silenceMillis) return
      // It is silent also while it decodes a large transaction of other tables.
      const rows = yield* sql.unsafe(
        `select 1 as one from pg_stat_activity where pid = $1::int and wait_event_type is distinct from 'Client'
            and wait_event_type is distinct from 'Activity'`,
        [pid]
      )
      if (rows.length > 0) return
      const message = `the server of the source sent nothing for ${Math.round(silentMillis)} ms`
      yield* Deferred.fail(stream.ended, new CaptureError({ reason: "Transport", message }))
    })
  )
})
