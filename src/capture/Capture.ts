/**
 * capture: from the write-ahead log to events.
 *
 * Responsible for: reading every committed change of an object from a replication slot, folding the changes of one
 * transaction to one event per object, writing the change log, and handing events on.
 *
 * Guarantees: nothing committed is missed and nothing rolled back is seen. Events leave in commit order, those of one
 * transaction in the order of their idx. Postgres may forget a transaction only after the change log and whoever takes
 * the events have them for good; until then a restart reads it again, with the same events under the same positions.
 * The slot is the lock: of several processes one reads, the others stand by.
 *
 * Does not: know webhooks, conditions or queues. Does not skip what it does not understand: it stops and says so.
 */
import { Context, Deferred, Effect, Layer, Queue, Ref, Schedule } from "effect"
import { reveal } from "../Config.ts"
import { inWords } from "../Telemetry.ts"
import { Servers } from "../embedded/Servers.ts"
import { CaptureError } from "./CaptureError.ts"
import { write as writeChangeLog } from "./ChangeLog.ts"
import { type Event, eventsOf } from "./Event.ts"
import { formatLsn, position } from "./Lsn.ts"
import { Related } from "./Related.ts"
import { prepare } from "./Slot.ts"
import { SlotStream } from "./SlotStream.ts"
import { Walsender, targetOf } from "./Walsender.ts"

/** Who takes the events. Failures are tried again until they succeed; both must bear being called again. */
export interface Sink {
  /** Reading begins (again) at this position: whatever was before it has been taken. Positions of the epoch begin at `epochBegin`. */
  readonly begin: (from: bigint, epochBegin: bigint) => Effect.Effect<void, unknown>
  /** Succeeds when the events are kept for good. */
  readonly take: (events: ReadonlyArray<Event>) => Effect.Effect<void, unknown>
}

export interface CaptureStatus {
  readonly state: "starting" | "streaming" | "standby" | "waiting" | "stopped"
  readonly epoch: number
  /** LSNs: received from the server, and confirmed to it. */
  readonly received: string
  readonly confirmed: string
  /** Why it is not streaming. */
  readonly problem: string
}

export class Capture extends Context.Service<Capture, { readonly status: Effect.Effect<CaptureStatus> }>()(
  "rackwire/capture/Capture"
) {
  static readonly layer = (base: string) =>
    Layer.effect(
      Capture,
      Effect.gen(function* () {
        const status = yield* Ref.make<CaptureStatus>({
          state: "starting",
          epoch: 0,
          received: "0/0",
          confirmed: "0/0",
          problem: ""
        })
        const sink = yield* EventSink
        yield* Effect.forkScoped(run(sink, base, status))
        return Capture.of({ status: Ref.get(status) })
      })
    )
}

/** The sink that `main.ts` makes of the stages that follow. */
export class EventSink extends Context.Service<EventSink, Sink>()("rackwire/capture/EventSink") {}

/** Pauses between attempts to read. */
const retryPause = { min: "250 millis", max: "5 seconds", standby: "1 second" } as const

const pauses = Schedule.min([Schedule.exponential(retryPause.min, 2), Schedule.spaced(retryPause.max)]).pipe(
  Schedule.jittered
)

const run = (sink: Sink, base: string, status: Ref.Ref<CaptureStatus>) => {
  const set = (change: Partial<CaptureStatus>) => Ref.update(status, (before) => ({ ...before, ...change }))
  const turn = Effect.scoped(session(sink, base, set)).pipe(
    Effect.tapError((error) => {
      if (error.reason === "SlotActive") return set({ state: "standby", problem: "another process reads the slot" })
      return Effect.andThen(
        Effect.logError(`capture: ${error.reason}: ${error.message}`),
        set({ state: error.mayRetry ? "waiting" : "stopped", problem: error.message })
      )
    })
  )
  const whileSlotActive = Effect.retry(turn, {
    while: (error) => error.reason === "SlotActive",
    schedule: Schedule.jittered(Schedule.spaced(retryPause.standby))
  })
  return whileSlotActive.pipe(
    Effect.retry({ while: (error) => error.mayRetry, schedule: pauses }),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logFatal("capture stopped: no change is seen until this is repaired and the service restarted", cause),
        set({ state: "stopped" })
      )
    )
  )
}

type SetStatus = (change: Partial<CaptureStatus>) => Effect.Effect<void>

/** One connection's life. Never succeeds; fails with why it ended. */
const session = Effect.fnUntraced(function* (sink: Sink, base: string, set: SetStatus) {
  const prepared = yield* prepare
  const { epoch } = prepared
  const { databaseUrl } = yield* Servers
  const walsender = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => Walsender.connect(targetOf(reveal(databaseUrl))),
      catch: (error) => error as CaptureError
    }),
    (walsender) => Effect.sync(() => walsender.close())
  )
  const stream = new SlotStream(walsender, prepared)
  const timeout = yield* fromWalsender(() =>
    walsender.query("select setting from pg_settings where name = 'wal_sender_timeout'")
  )
  yield* forever("sink", sink.begin(position(epoch, prepared.confirmed), position(epoch, 0n)))
  yield* fromWalsender(() => stream.start())
  yield* set({ state: "streaming", epoch, problem: "", confirmed: formatLsn(stream.confirmed) })
  yield* Effect.logInfo(`capture: reading from ${formatLsn(prepared.confirmed)}, epoch ${epoch}`)
  yield* Effect.forkScoped(keepAlive(stream, Number(timeout[0]?.[0] ?? 0)))
  return yield* Effect.raceFirst(consume(stream, sink, base, epoch, set), Deferred.await(stream.ended))
})

const fromWalsender = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (error) => error as CaptureError })

/** Tries until it succeeds; a sink or a change log that is away must not cost us the connection. */
const forever = <A, R>(what: string, effect: Effect.Effect<A, unknown, R>): Effect.Effect<A, never, R> =>
  effect.pipe(
    Effect.tapError((error) => Effect.logWarning(`capture: the ${what} failed, trying again: ${inWords(error)}`)),
    Effect.retry(pauses),
    Effect.orDie
  )

/** Says that we live, a third of the server's patience apart, also while reading is paused. */
const keepAlive = (stream: SlotStream, timeoutMillis: number) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep(timeoutMillis > 0 ? timeoutMillis / 3 : 10_000),
      Effect.sync(() => stream.report())
    )
  )

const consume = Effect.fnUntraced(function* (
  stream: SlotStream,
  sink: Sink,
  base: string,
  epoch: number,
  set: SetStatus
) {
  const related = new Related()
  while (true) {
    const taken = yield* Queue.takeAll(stream.windows)
    yield* forever("database", related.load(taken.flatMap(({ window }) => window.changes)))
    const events = taken.flatMap(({ window }) => eventsOf(window, epoch, related, base))
    if (events.length > 0) {
      yield* Effect.all([forever("change log", writeChangeLog(events)), forever("sink", sink.take(events))], {
        concurrency: 2,
        discard: true
      })
    }
    stream.confirm(taken)
    stream.report()
    yield* set({ received: formatLsn(stream.received), confirmed: formatLsn(stream.confirmed) })
  }
})
