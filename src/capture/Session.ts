/** One session: prepares the slot, connects, reads, hands events on and confirms them, until something fails. */
import { Deferred, Effect, Fiber, Option, Queue, Schedule, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { Settings, reveal } from "../Config.ts"
import { Pace, type PaceValues, paused } from "../eventloop/Pace.ts"
import { addressOf } from "../postgres/PostgresUrl.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { Vault } from "../inventory/Vault.ts"
import { Servers } from "../embedded/Servers.ts"
import { CaptureError, asCaptureError, isServerStopping, serverStopping } from "./CaptureError.ts"
import { write as writeChangeLog } from "./ChangeLog.ts"
import { inEpoch } from "../event/Position.ts"
import { type EventBatch, eventsOf } from "./CapturedEvent.ts"
import { endEpoch, epochAt } from "./slot/Epoch.ts"
import { noteTruncate } from "./slot/Gaps.ts"
import { type ReceivedEnd, originOf, placeIn } from "./slot/Origin.ts"
import { lead, release } from "./slot/Leadership.ts"
import { endIdleSender } from "./slot/IdleSender.ts"
import { formatLsn } from "../event/Lsn.ts"
import { RelatedRows } from "./fold/RelatedRows.ts"
import { sendHeartbeats } from "./HeartbeatRound.ts"
import { setAside } from "./SetAside.ts"
import type { EventConsumer } from "./EventConsumer.ts"
import { type SlotState, bounds, prepare } from "./slot/Slot.ts"
import { SlotStream, type WindowEnd, type Waiting, now } from "./slot/SlotStream.ts"
import type { Report } from "./Status.ts"
import { Walsender } from "./wal/Walsender.ts"

const retryPauses = ({ retryMinMillis, retryMaxMillis }: PaceValues["capture"]) =>
  Schedule.min([Schedule.exponential(retryMinMillis, 2), Schedule.spaced(retryMaxMillis)]).pipe(Schedule.jittered)

const reportPause = paused(({ capture }) => capture.reportMillis)

const verifyPause = paused(({ capture }) => capture.verifyMillis)

interface Reading {
  readonly consumer: EventConsumer["Service"]
  /** The URL before the paths in events. */
  readonly base: string
  readonly report: Report
  /** If this process was a standby: when another one read last, milliseconds since 1970. */
  readonly vacantSince: number | undefined
  /** Whether the WAL that is not read yet cannot be decoded. */
  readonly skip: boolean
  /** The positions that earlier sessions have received, and a function that notes those of this one. */
  readonly received: () => ReceivedEnd
  readonly noteReceived: (received: ReceivedEnd) => void
}

/** Never succeeds; fails with the reason why reading ended. */
export const session = Effect.fnUntraced(function* (reading: Reading) {
  const { databaseUrl } = yield* Servers
  const { slot, dataDirectory, databaseUrl: configured } = yield* Settings
  // Registered first, so that it runs last: the standbys are notified when the slot is free.
  yield* Effect.addFinalizer(() => release(slot))
  const walsender = yield* Effect.acquireRelease(
    fromWalsender(() => Walsender.connect(addressOf(reveal(databaseUrl)))),
    (walsender) => Effect.sync(() => walsender.close())
  )
  const place = configured === undefined ? placeIn(dataDirectory) : null
  const origin = yield* fromWalsender(() => originOf(walsender, place, reading.received()))
  const prepared = yield* prepare(reading.skip, origin)
  const own = "select pg_backend_pid(), (select setting from pg_settings where name = 'wal_sender_timeout')"
  const [[pid, timeoutMillis] = []] = yield* fromWalsender(() => walsender.query(own))
  const stream = new SlotStream(walsender, prepared, (yield* Vault).open)
  yield* fromWalsender(() => stream.start())
  // From now on: before the first batch more time may pass than a leader may be silent.
  yield* Effect.forkScoped(keepAlive(stream, Number(pid), Number(timeoutMillis ?? 0)))
  return yield* Effect.raceFirst(read(stream, prepared, reading), Deferred.await(stream.ended))
})

/** Takes the lead and reads; fails with the reason why it cannot continue. */
const read = Effect.fnUntraced(function* (stream: SlotStream, prepared: SlotState, reading: Reading) {
  const { consumer, report, vacantSince } = reading
  const { epoch, first, slot, systemId } = prepared
  const asTransport = Effect.mapError((error: SqlError.SqlError) => transport(inWords(error)))
  const generation = yield* lead(slot).pipe(asTransport)
  const { confirmed, end } = yield* bounds(slot).pipe(asTransport)
  stream.beginAt(confirmed)
  yield* Effect.addFinalizer(() => Effect.sync(() => reading.noteReceived({ systemId, lsn: stream.received })))
  const from = inEpoch(epochAt(prepared, confirmed), confirmed)
  const terms = { from, epochBegin: inEpoch(first, 0n), end: inEpoch(epoch, end) }
  yield* persist("start of the event consumer", consumer.begin({ ...terms, generation })).pipe(
    Effect.tapError(({ reason, message }) =>
      reason === "EpochMismatch" ? persist("new epoch", endEpoch(epoch, message)) : Effect.void
    )
  )
  const takeoverMillis = vacantSince === undefined ? undefined : Math.round(now() - vacantSince)
  yield* report((before) => ({
    state: "streaming",
    isPaused: false,
    leads: true,
    takeoverMillis: takeoverMillis ?? before.takeoverMillis,
    epoch,
    generation,
    problem: "",
    confirmed: formatLsn(confirmed)
  }))
  const after = takeoverMillis === undefined ? "" : `, ${takeoverMillis} ms after the last word of another process`
  yield* Effect.logInfo(
    `capture: reading from ${formatLsn(confirmed)}, epoch ${epoch}, generation ${generation}${after}`
  )
  yield* Effect.forkScoped(reportProgress(stream, report))
  return yield* Effect.raceFirst(consume(stream, reading, prepared), sendHeartbeats(stream, epoch, report))
})

const fromWalsender = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: asCaptureError })

const transport = (message: string) => new CaptureError({ reason: "Transport", message })

/**
 * Tries until the effect succeeds; fails only with a CaptureError. The session outlives a database or a Redis that is
 * away for a while, but not a database that stops.
 */
const persist = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, CaptureError, R> =>
  effect.pipe(
    Effect.mapError((error) => (isServerStopping(error) ? serverStopping(error) : error)),
    Effect.tapError((error) => Effect.logWarning(`capture: the ${what} failed: ${inWords(error)}`)),
    (again) =>
      Effect.flatMap(Pace, ({ capture }) =>
        Effect.retry(again, { while: (error) => !(error instanceof CaptureError), schedule: retryPauses(capture) })
      ),
    // The schedule never ends.
    Effect.catch((error) => (error instanceof CaptureError ? Effect.fail(error) : Effect.die(error)))
  )

/**
 * Reports to the server, also while reading is paused, and ends the session if the connection is dead. While the server
 * decodes a transaction without any published change, it sends nothing unless a report requests a reply, and some
 * versions not even then: it is left alone while it works, up to twice its own timeout.
 */
const keepAlive = Effect.fnUntraced(function* (stream: SlotStream, pid: number, timeoutMillis: number) {
  const { silenceMillis } = (yield* Pace).servers
  const limitMillis = timeoutMillis > 0 ? 2 * timeoutMillis : Number.POSITIVE_INFINITY
  const isDead = Effect.suspend(() => {
    const { silentMillis } = stream
    if (silentMillis <= silenceMillis) return Effect.succeed(false)
    return silentMillis > limitMillis
      ? Effect.succeed(true)
      : Effect.map(endIdleSender(pid), (ended) => ended && stream.silentMillis >= silentMillis)
  })
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* reportPause
      const { silentMillis } = stream
      stream.report(silentMillis > silenceMillis / 2)
      if (!(yield* isDead)) return
      yield* Deferred.fail(stream.ended, transport(`Postgres sent nothing for ${Math.round(stream.silentMillis)} ms`))
    })
  )
})

/** Reports the progress of the stream. */
const reportProgress = Effect.fnUntraced(function* (stream: SlotStream, report: Report) {
  let unreadable = 0
  const turn = Effect.gen(function* () {
    const { withoutContext, unreadableContexts, lastUnreadable } = stream.contexts
    if (unreadableContexts > unreadable) {
      yield* Effect.logWarning(
        `capture: a context message cannot be parsed, so its changes have no author: ${lastUnreadable}`
      )
    }
    unreadable = unreadableContexts
    yield* report(() => ({
      received: formatLsn(stream.received),
      confirmed: formatLsn(stream.confirmed),
      waitingBytes: stream.waitingBytes,
      lagMillis: stream.heartbeats.lagMillis(now()),
      withoutContext,
      unreadableContexts
    }))
  })
  return yield* Effect.forever(Effect.andThen(turn, reportPause))
})

/** Most events of one batch; a window is never cut, so a batch may have a few more. */
const batchEventsMax = 1000

/** Most batches under way: while a full one is being stored, the next ones are read and represented. */
const batchesMax = 4

/** Most of them that are being accepted or wait for that: their events are in memory. */
const acceptingMax = 2

/**
 * Handles windows in batches: events are made and accepted in order, stored, and confirmed in order. Behind a full batch
 * the next one begins at once, behind another when that is stored.
 */
const consume = Effect.fnUntraced(function* (
  stream: SlotStream,
  { consumer, base, report }: Reading,
  prepared: SlotState
) {
  const related = new RelatedRows()
  const inOrder = yield* Semaphore.make(1)
  const room = yield* Semaphore.make(acceptingMax)
  const accept = (batch: EventBatch, logged: Effect.Effect<void>) =>
    inOrder
      .withPermit(persist("event consumer", pausing(consumer.accept(batch, logged), report)))
      .pipe(Effect.ensuring(room.release(1)))
  const verify = Effect.repeat(persist("event consumer", consumer.verify), { while: (isMore) => isMore })
  const verifying = Effect.forever(Effect.andThen(verifyPause, verify))
  const underWay =
    yield* Queue.bounded<readonly [ReadonlyArray<WindowEnd>, number, Fiber.Fiber<void, CaptureError>]>(batchesMax)
  const confirming = Effect.forever(
    Effect.gen(function* () {
      const [unconfirmed, events, storing] = yield* Queue.take(underWay)
      yield* Fiber.join(storing)
      stream.confirm(unconfirmed)
      stream.report()
      yield* report((before) => ({ events: before.events + events }))
    })
  )
  const reading = Effect.forever(
    Effect.gen(function* () {
      yield* room.take(1)
      const { waiting, isFull } = yield* nextBatch(stream)
      yield* persist("database", related.load(waiting.map(({ window }) => window)))
      const made = waiting.map(({ window }) =>
        eventsOf(window, epochAt(prepared, window.transaction.commitLsn), related, base)
      )
      const events = made.flatMap((each) => each.events)
      const aside = made.flatMap((each) => each.aside)
      const logged = Deferred.makeUnsafe<void>()
      const truncated = waiting.filter(({ window }) => window.truncated.length > 0)
      const logging = writeLog({ events, aside }, truncated, prepared, logged)
      const storing = yield* Effect.forkScoped(
        Effect.all([logging, accept({ events, aside }, Deferred.await(logged))], { concurrency: 2 }).pipe(
          // In the order of EventConsumer.ts.
          Effect.flatMap(([, receipt]) => persist("event consumer", receipt.stored))
        ),
        { startImmediately: true }
      )
      const unconfirmed = waiting.map(({ endLsn, heartbeat, walBytes, relayed }) => {
        return { endLsn, heartbeat, walBytes, relayed }
      })
      yield* Queue.offer(underWay, [unconfirmed, events.length, storing])
      // Changes that arrive during a flush form one batch: a small batch costs nearly as much as a large one.
      if (!isFull) yield* Fiber.await(storing)
    })
  )
  return yield* Effect.raceAllFirst([confirming, reading, verifying])
})

/** Reports the pause while the consumer accepts no events. */
const pausing = <A, E, R>(accept: Effect.Effect<A, E, R>, report: Report) => {
  let isPaused = false
  const pause = (error: E) => {
    isPaused = true
    return report(() => ({ state: "paused", isPaused, problem: inWords(error) }))
  }
  const goOn = Effect.suspend(() =>
    isPaused ? report(() => ({ state: "streaming", isPaused: false, problem: "" })) : Effect.void
  )
  return accept.pipe(Effect.tapError(pause), Effect.tap(goOn))
}

const writeLog = (
  { events, aside }: EventBatch,
  truncated: ReadonlyArray<Waiting>,
  prepared: SlotState,
  logged: Deferred.Deferred<void>
) => {
  const noteTruncates = Effect.forEach(truncated, ({ window: { truncated, transaction } }) =>
    noteTruncate(
      truncated.map(({ id }) => id),
      {
        position: inEpoch(epochAt(prepared, transaction.commitLsn), transaction.commitLsn),
        timestamp: transaction.timestamp
      }
    )
  )
  return Effect.andThen(
    persist("change log", Effect.all([noteTruncates, setAside(aside), writeChangeLog(events)])),
    Deferred.succeed(logged, undefined)
  )
}

/** The windows that wait, up to a full batch; waits for the first one. */
const nextBatch = Effect.fnUntraced(function* (stream: SlotStream) {
  const first = yield* Queue.take(stream.windows)
  const waiting = [first]
  let events = first.window.changes.length
  while (events < batchEventsMax) {
    const next = yield* Queue.poll(stream.windows)
    if (Option.isNone(next)) break
    waiting.push(next.value)
    events += next.value.window.changes.length
  }
  return { waiting, isFull: events >= batchEventsMax }
})
