/**
 * capture: from the write-ahead log to events.
 *
 * Responsible for: reading every committed change of an object from a replication slot, folding the changes of one
 * transaction to one event per object, writing the change log, and handing events to the consumer.
 *
 * Guarantees: no committed change is missed, and no change that was rolled back is seen. Events leave in commit order,
 * those of one transaction in the order of their idx. A transaction is confirmed to Postgres only when the change log
 * and the consumer have stored its events; until then a restart reads it again and gives the same events with the same
 * positions. The slot is the lock: one process reads, the others are standbys.
 *
 * Does not: depend on webhooks, conditions or queues. Does not skip messages that it does not understand: it stops and
 * says so. A change whose row has a value that no event can carry is set aside with an alarm (SetAside.ts).
 */
import { Clock, Context, Effect, Layer, Ref } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { forgetSignIns } from "../auth/audit/SignInRows.ts"
import { Settings } from "../Config.ts"
import { Pace, paused } from "../eventloop/Pace.ts"
import { Presence, type Status } from "../postgres/Presence.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { CaptureError } from "./CaptureError.ts"
import { changeLogDays } from "./ChangeLog.ts"
import type { ReceivedEnd } from "./slot/Origin.ts"
import { standBy } from "./slot/Leadership.ts"
import { session } from "./Session.ts"
import { EventConsumer } from "./EventConsumer.ts"
import { SlotGauge } from "./slot/SlotHealth.ts"
import { type CaptureStatus, type Report, atFirst } from "./Status.ts"

export class Capture extends Context.Service<Capture, { readonly status: Effect.Effect<CaptureStatus> }>()(
  "rackwire/capture/Capture"
) {
  /** `base`: the URL before the paths in events; reading begins when it is known. */
  static readonly layer = (base: Effect.Effect<string>) =>
    Layer.effect(
      Capture,
      Effect.gen(function* () {
        const status = yield* Ref.make(atFirst)
        const consumer = yield* EventConsumer
        const report: Report = (change) => Ref.update(status, (before) => ({ ...before, ...change(before) }))
        yield* Effect.forkScoped(Effect.flatMap(base, (url) => run(consumer, url, report)))
        yield* Effect.forkScoped(turnChangeLog)
        const { slot } = yield* Settings
        const { tell } = yield* Presence
        yield* tell("capture", Ref.get(status).pipe(Effect.map((own) => ({ ...own }))))
        yield* tell("slot", yield* slotStatus(slot))
        return Capture.of({ status: Ref.get(status) })
      })
    )
}

/** Runs one session after another, until one fails for good. */
const run = (consumer: EventConsumer["Service"], base: string, report: Report) => {
  let vacantSince: number | undefined
  let skip = false
  let received: ReceivedEnd = { systemId: "", lsn: 0n }
  const memory = { received: () => received, noteReceived: (now: ReceivedEnd) => void (received = now) }
  const turn = Effect.gen(function* () {
    const { capture } = yield* Pace
    const began = yield* Clock.currentTimeMillis
    const error = yield* Effect.flip(Effect.scoped(session({ consumer, base, report, vacantSince, skip, ...memory })))
    skip = error.reason === "Undecodable"
    vacantSince = yield* afterFailure(error, report)
    if (!error.mayRetry) return yield* error
    // Only sessions that fail to start make the next pause longer.
    return (yield* Clock.currentTimeMillis) - began > capture.livedMillis
  })
  const turns = (failures: number): Effect.Effect<never, CaptureError, Effect.Services<typeof turn>> =>
    Effect.flatMap(turn, (lived) =>
      Effect.andThen(lived ? Effect.void : pauseAfter(failures), turns(lived ? 0 : failures + 1))
    )
  return turns(0).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logFatal(
          "capture stopped: changes are not captured until this is repaired and the service is restarted",
          cause
        ),
        report(() => ({ state: "stopped", leads: false }))
      )
    )
  )
}

const pauseAfter = (failures: number) =>
  paused(({ capture }) => Math.min(capture.sessionMinMillis * 2 ** failures, capture.sessionMaxMillis))

/** Reports the failure, and becomes a standby if another process reads; returns when that one read last, if known. */
const afterFailure = Effect.fnUntraced(function* (error: CaptureError, report: Report) {
  const { slot } = yield* Settings
  if (error.reason === "SlotActive" || error.reason === "Fenced") {
    yield* report(() => ({
      state: "standby",
      isPaused: false,
      leads: false,
      problem: "another process reads the slot"
    }))
    return yield* orPause(standBy(slot))
  }
  yield* Effect.logError(`capture: ${error.reason}: ${error.message}`)
  yield* report(() => ({
    state: error.mayRetry ? "waiting" : "stopped",
    isPaused: false,
    leads: false,
    problem: error.message
  }))
  return undefined
})

/** A database that is away is reported by the next session. */
const orPause = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.catch(effect, () => Effect.as(standbyPause, undefined))

const standbyPause = paused(({ capture }) => capture.standbyRetryMillis)

/** The health of the slot; the last one known if the server does not answer. */
const slotStatus = Effect.fnUntraced(function* (slot: string) {
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const gauge = new SlotGauge(slot)
  let last: Status = {}
  return gauge.measure().pipe(
    Effect.map((health) => (last = { ...health })),
    Effect.catch(() => Effect.succeed(last)),
    Effect.provideContext(context)
  )
})

const turnChangeLog = Effect.gen(function* () {
  const { changelogRetention } = yield* Settings
  const owed = yield* (yield* EventConsumer).owedSince
  yield* changeLogDays.turn(changelogRetention, owed)
  yield* forgetSignIns
}).pipe(
  Effect.catch((error) => Effect.logWarning(`capture: old changes or sign-ins were not deleted: ${inWords(error)}`)),
  Effect.andThen(paused(({ retention }) => retention.roundMillis)),
  Effect.forever
)
