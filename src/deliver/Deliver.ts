/**
 * deliver: from a queued delivery to a receiver's answer.
 *
 * Responsible for: attempting every delivery until it succeeds or its webhook's retry schedule ends, and logging each
 * attempt. Guarantees: at least once, under a stable id; a delivery is given up only with a reason in the log; every
 * attempt follows the webhook's definition of that moment; one webhook's receiver costs the others nothing; nothing is
 * sent where the target policy refuses; of one object in order, where the webhook is so configured. Does not: promise order
 * otherwise, nor exactly once: an attempt whose process died before logging it is made again.
 */
import { Context, Effect, Layer, Schedule, Semaphore } from "effect"
import { Settings } from "../Config.ts"
import { Pace, paused, pausing } from "../eventloop/Pace.ts"
import { Stall } from "../eventloop/Stall.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { Presence, processNews } from "../postgres/Presence.ts"
import { objectType } from "../inventory/Registry.ts"
import { Streams } from "../queue/Streams.ts"
import { type Actors, makeActors } from "./actor/Actors.ts"
import { hold } from "./actor/Intake.ts"
import { probeNews } from "../log/BreakerTable.ts"
import { AlarmWatch, forgetAlarms } from "./AlarmWatch.ts"
import { announcements } from "./Announcements.ts"
import { DeliveryLog } from "../log/DeliveryLog.ts"
import { attemptDays } from "../log/AttemptRows.ts"
import { deliveryDays, deliveryType } from "../log/DeliveryRows.ts"
import { forgetTraffic } from "../log/Traffic.ts"
import { dropDiscarded } from "../requests/Discard.ts"
import { operationType, workOffOperations } from "../requests/Operations.ts"
import { takeUpRetries } from "../requests/RetryByHand.ts"
import { replayType, workOffReplays } from "../requests/Replay.ts"
import { sendingNews, sendingState } from "../requests/Sending.ts"
import { HealthWatch } from "./HealthWatch.ts"
import { Waiting } from "../history/inspect/Waiting.ts"
import { logDefectAndContinue } from "../eventloop/LogDefect.ts"
import { absentAmong, allWebhooks, discardDeleted } from "../queue/reconcile/Deleted.ts"
import { ReconciledRedis } from "../queue/reconcile/ReconciledRedis.ts"
import { Sample } from "../queue/reconcile/Sample.ts"
import { sweep } from "./Sweeper.ts"
import { statusOf } from "./Status.ts"
import { backlog } from "../history/tasks/Backlog.ts"

const webhookType = objectType("extras.webhook")

/**
 * Most fibers of a process that work off requests of people. Each may use a connection for as long as a statement may
 * take; work that they leave is found by the next sweep.
 */
const workersMax = 4

export class Deliver extends Context.Service<
  Deliver,
  {
    readonly webhooks: Effect.Effect<number>
    /** A sentence for each reason why deliveries do not continue. */
    readonly problems: Effect.Effect<ReadonlyArray<string>>
    /** A sentence if the search for missed deliveries fails, while those that are announced are attempted. */
    readonly alarms: Effect.Effect<ReadonlyArray<string>>
    /** A sentence for each problem that an operator has to solve, though the process works. */
    readonly warnings: Effect.Effect<ReadonlyArray<string>>
  }
>()("rackwire/deliver/Deliver") {
  static readonly layer = Layer.effect(
    Deliver,
    Effect.gen(function* () {
      const actors = yield* makeActors
      const streams = yield* Streams
      const { stream, deliver, alarm } = yield* Pace
      const workers = yield* Semaphore.make(workersMax)
      const workOffAsked = unlessQuiet(
        actors,
        workers.withPermitsIfAvailable(1)(Effect.andThen(workOffReplays, workOffOperations))
      )
      yield* Effect.forkScoped(followWebhooks(actors, workOffAsked))
      yield* streams.onWake(
        (webhook) => {
          if (webhook === 0) for (const [, actor] of actors.all()) actor.wake()
          else actors.get(webhook)?.wake()
        },
        (news) => actors.get(news.webhook)?.learn(news)
      )
      const looks = new Stall("no sweep has ended", deliver.unlookedMillis)
      const look = logDefectAndContinue("the sweep")(
        lookForMissed(actors, { sample: new Sample(), healths: new HealthWatch() }, looks)
      )
      yield* Effect.forkScoped(Effect.schedule(look, Schedule.spaced(deliver.roundMillis)))
      const { compare } = new AlarmWatch()
      const alarms = logDefectAndContinue("the comparison of alarms")(compare)
      yield* Effect.forkScoped(Effect.schedule(alarms, Schedule.spaced(alarm.roundMillis)))
      // In a fiber of its own: long work must not delay the search for missed deliveries.
      const work = logDefectAndContinue("requested work")(workOffAsked)
      yield* Effect.forkScoped(Effect.schedule(work, Schedule.spaced(deliver.roundMillis)))
      const renew = logDefectAndContinue("renewing leases")(renewLeases(actors))
      yield* Effect.forkScoped(Effect.schedule(renew, Schedule.spaced(stream.renewMillis)))
      yield* Effect.forkScoped(turnDays)
      const { tell } = yield* Presence
      yield* tell(
        "deliver",
        Effect.sync(() => statusOf(actors))
      )
      yield* tell("backlog", yield* backlog)
      const log = yield* DeliveryLog
      return Deliver.of({
        webhooks: Effect.sync(actors.count),
        problems: Effect.map(log.problems, (unwritten) => [...unwritten, ...unreadable(actors)]),
        alarms: Effect.sync(() => looks.problems()),
        warnings: Effect.sync(() => [...actors.loops.warnings(), ...actors.unusable.warnings()])
      })
    })
  ).pipe(Layer.provide([Waiting.layer, ReconciledRedis.layer]))
}

/** Keeps an actor per enabled webhook, as the table says, and takes up requests of people. */
const followWebhooks = <E, R>(actors: Actors, workOffAsked: Effect.Effect<unknown, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const streams = yield* Streams
      // Subscribes before the first sweep, so that no notification is missed.
      const told = yield* announcements
      yield* heed(actors)
      const all = yield* allWebhooks
      yield* actors.follow(new Set([...actors.all().map(([webhook]) => webhook), ...all]))
      // An earlier version queued without marks, and Redis may have lost some.
      yield* streams.mark(all)
      yield* discardDeleted()
      yield* takeUp(actors)
      yield* Effect.forkScoped(workOffAsked)
      yield* Effect.forever(
        Effect.gen(function* () {
          const news = yield* told
          if (news.some(([of]) => of === sendingNews || of === processNews)) yield* heed(actors)
          yield* actors.follow(new Set(news.filter(([of]) => of === webhookType.id).map(([, id]) => Number(id))))
          if (news.some(([of]) => of === deliveryType.id)) yield* takeUp(actors)
          for (const [of, id] of news) if (of === probeNews) yield* actors.get(Number(id))?.probe ?? Effect.void
          if (news.some(([of]) => of === replayType.id || of === operationType.id)) {
            yield* Effect.forkScoped(workOffAsked)
          }
        })
      )
    })
  ).pipe(
    Effect.tapError((error) =>
      Effect.logWarning(`deliver: failed to follow the webhooks, reading them again: ${inWords(error)}`)
    ),
    Effect.retry(pausing(({ deliver }) => deliver.followRetryMillis)),
    Effect.orDie
  )

/**
 * Takes up deliveries that somebody wants attempted again, and drops deliveries that nobody wants. After a failure the
 * next sweep tries again.
 */
const takeUp = (actors: Actors) =>
  unlessQuiet(
    actors,
    Effect.andThen(
      dropDiscarded,
      Effect.map(
        takeUpRetries((id, ids) => actors.get(id)?.prefer(ids) ?? Effect.void),
        ({ due, urged }) => {
          for (const id of urged) actors.get(id)?.urge()
          for (const id of due) actors.get(id)?.dueIn(0)
        }
      )
    )
  ).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`deliver: retries and discards were not taken up, trying again: ${inWords(error)}`)
    )
  )

/** Stops or resumes reading, as operators say of all sending and of this process. */
const heed = Effect.fnUntraced(function* (actors: Actors) {
  const { heartbeat } = yield* Presence
  const isQuiet = yield* heartbeat
  const { paused: isPaused } = yield* sendingState
  const all = actors.all().map(([, actor]) => actor)
  yield* hold(actors.intake, all, { isPaused, isQuiet })
})

/** A quiet process begins no work: others do it. */
const unlessQuiet = <A, E, R>(actors: Actors, work: Effect.Effect<A, E, R>) =>
  Effect.suspend((): Effect.Effect<A | void, E, R> => (actors.intake.isQuiet ? Effect.void : work))

const turnDays = Effect.gen(function* () {
  const { deliveryRetention } = yield* Settings
  yield* deliveryDays.turn(deliveryRetention)
  yield* attemptDays.turn(deliveryRetention)
  yield* forgetTraffic
  yield* forgetAlarms
}).pipe(
  Effect.catch((error) => Effect.logWarning(`deliver: old deliveries were not dropped: ${inWords(error)}`)),
  Effect.andThen(paused(({ retention }) => retention.roundMillis)),
  Effect.forever
)

/** A sentence if webhooks cannot be read for a while. */
const unreadable = (actors: Actors): ReadonlyArray<string> => {
  const [first, ...others] = actors.all().flatMap(([, actor]) => actor.problems())
  if (first === undefined) return []
  return [others.length === 0 ? first : `${first}, and ${others.length} more`]
}

/** Ends the actors of webhooks that were deleted without a trigger, and so without an announcement. */
const followDeletions = Effect.fnUntraced(function* (actors: Actors) {
  const absent = yield* absentAmong(actors.all().map(([webhook]) => webhook))
  if (absent.length > 0) yield* actors.follow(new Set(absent))
})

/** State that the sweeper keeps from sweep to sweep. */
interface SweepState {
  readonly sample: Sample
  readonly healths: HealthWatch
}

/** Finds work that was not announced. */
const lookForMissed = (actors: Actors, { sample, healths }: SweepState, looks: Stall) =>
  heed(actors).pipe(
    Effect.andThen(unlessQuiet(actors, sweep(actors))),
    Effect.flatMap((inspected) =>
      inspected === undefined ? Effect.void : Effect.andThen(sample.reconcile(actors, inspected), healths.look())
    ),
    Effect.andThen(followDeletions(actors)),
    Effect.andThen(takeUp(actors)),
    (look) => looks.watch(look),
    Effect.catch((error) => Effect.logWarning(`deliver: the sweep failed: ${inWords(error)}`))
  )

/** Renews the lease of every entry of an actor. */
const renewLeases = (actors: Actors) =>
  Effect.gen(function* () {
    const streams = yield* Streams
    for (const [webhook, actor] of actors.all()) {
      const held = actor.held()
      if (held.length > 0) yield* streams.keep(webhook, held)
    }
  }).pipe(Effect.ignore)
