/**
 * deliver: from a queued delivery to a receiver's answer.
 *
 * Responsible for: attempting every delivery until it succeeds or its webhook's retry schedule ends, and logging each
 * attempt. Guarantees: at least once, under a stable id; a delivery is given up only with a reason in the log; every
 * attempt follows the webhook's definition of that moment; one webhook's receiver costs the others nothing; nothing is
 * sent where the target policy refuses; of one object in order, where the webhook asks for it. Does not: promise order
 * otherwise, nor exactly once: an attempt whose process died before logging it is made again.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Schedule, Scope, Semaphore } from "effect"
import { Settings } from "../Config.ts"
import { inWords } from "../Telemetry.ts"
import { Presence } from "../inventory/database/Presence.ts"
import { sealHidden } from "../inventory/write/Hidden.ts"
import { byIds } from "../inventory/read/Read.ts"
import { objectType } from "../inventory/Registry.ts"
import { leaseMillis } from "../stream/Reader.ts"
import { Streams } from "../stream/Streams.ts"
import { type Actor, startActor } from "./actor/Actor.ts"
import { announcements } from "./recover/Announcements.ts"
import { attemptDays } from "./log/AttemptRows.ts"
import { deliveryDays } from "./log/DeliveryRows.ts"
import { type Surroundings, type WebhookRow, definitionOf, surroundings } from "./actor/Definition.ts"
import { dropDiscarded } from "./request/Discard.ts"
import { operationType, workOffOperations } from "./request/Operations.ts"
import { deliveryType, takeUpRetries } from "./request/RetryByHand.ts"
import { replayType, workOffReplays } from "./request/Replay.ts"
import { logDefectAndContinue } from "./LogDefect.ts"
import { sweep } from "./recover/Sweeper.ts"
import { FairShare } from "./actor/FairShare.ts"

const type = objectType("extras.webhook")

/** How often what was missed, or asked for, is looked for. */
const roundPause = "5 seconds"

interface Running {
  readonly actor: Actor
  readonly scope: Scope.Closeable
}

/** What the actors of a process have in common. */
interface Common {
  /** Of the process. */
  readonly life: Scope.Scope
  readonly turns: FairShare
}

export class Deliver extends Context.Service<Deliver, { readonly webhooks: Effect.Effect<number> }>()(
  "rackwire/deliver/Deliver"
) {
  static readonly layer = Layer.effect(
    Deliver,
    Effect.gen(function* () {
      const running = new Map<number, Running>()
      const streams = yield* Streams
      yield* Effect.addFinalizer(() =>
        Effect.forEach(running.values(), ({ scope }) => Scope.close(scope, Exit.void), { concurrency: "unbounded" })
      )
      yield* Effect.forkScoped(followWebhooks(running, { life: yield* Effect.scope, turns: new FairShare() }))
      yield* streams.onWake(
        (webhook) => {
          if (webhook === 0) for (const { actor } of running.values()) actor.wake()
          else running.get(webhook)?.actor.wake()
        },
        (news) => running.get(news.webhook)?.actor.learn(news)
      )
      const look = logDefectAndContinue("the look for what was missed")(rounds(running))
      yield* Effect.forkScoped(Effect.schedule(look, Schedule.spaced(roundPause)))
      // On its own: long work must not keep what was missed from being found.
      const work = logDefectAndContinue("work that was asked for")(workOffAsked)
      yield* Effect.forkScoped(Effect.schedule(work, Schedule.spaced(roundPause)))
      const hold = logDefectAndContinue("keeping hold of entries")(keepHold(running))
      yield* Effect.forkScoped(Effect.schedule(hold, Schedule.spaced(leaseMillis / 3)))
      yield* Effect.forkScoped(turnDays)
      const { tell } = yield* Presence
      yield* tell(
        "deliver",
        Effect.sync(() => ({
          webhooks: running.size,
          inFlight: [...running.values()].reduce((sum, { actor }) => sum + actor.held().length, 0),
          breakersOpen: [...running.values()].filter(({ actor }) => actor.isOpen()).length
        }))
      )
      return Deliver.of({ webhooks: Effect.sync(() => running.size) })
    })
  )
}

/** Keeps an actor per enabled webhook, as the table says, and takes up what is asked for by hand. */
const followWebhooks = (running: Map<number, Running>, common: Common) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      // Listening comes before the first look, so that nothing falls between.
      const told = yield* announcements
      const all = yield* sql.unsafe<{ readonly id: string }>(`select id::text as id from ${type.table}`)
      yield* refresh(running, new Set([...running.keys(), ...all.map(({ id }) => Number(id))]), common)
      // What an earlier version queued, or what Redis has lost the marks of.
      yield* (yield* Streams).mark([...running.keys()])
      yield* takeUp(running)
      yield* Effect.forkScoped(workOffAsked)
      yield* Effect.forever(
        Effect.gen(function* () {
          const news = yield* told
          yield* refresh(running, new Set(news.filter(([of]) => of === type.id).map(([, id]) => Number(id))), common)
          if (news.some(([of]) => of === deliveryType.id)) yield* takeUp(running)
          if (news.some(([of]) => of === replayType.id || of === operationType.id)) {
            yield* Effect.forkScoped(workOffAsked)
          }
        })
      )
    })
  ).pipe(
    Effect.tapError((error) =>
      Effect.logWarning(`deliver: lost sight of the webhooks, looking again: ${inWords(error)}`)
    ),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.orDie
  )

/**
 * Takes up deliveries that somebody wants attempted again, and drops those that nobody wants. What fails is tried again
 * by the next look.
 */
const takeUp = (running: ReadonlyMap<number, Running>) =>
  Effect.andThen(
    dropDiscarded,
    Effect.map(takeUpRetries, (webhooks) => webhooks.forEach((id) => running.get(id)?.actor.dueIn(0)))
  ).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`deliver: retries and discards were not taken up, trying again: ${inWords(error)}`)
    )
  )

/**
 * Most fibers of a process that work off what was asked for. Each may hold a connection for as long as a statement may
 * take; what they leave is found by the next look.
 */
const workersMax = 4

const workers = Semaphore.makeUnsafe(workersMax)

const workOffAsked = workers.withPermitsIfAvailable(1)(Effect.andThen(workOffReplays, workOffOperations))

/** How often old days of the delivery log are looked for. */
const turnPause = "1 hour"

const turnDays = Effect.gen(function* () {
  const { deliveryRetention } = yield* Settings
  yield* deliveryDays.turn(deliveryRetention)
  yield* attemptDays.turn(deliveryRetention)
}).pipe(
  Effect.catch((error) => Effect.logWarning(`deliver: old deliveries were not dropped: ${inWords(error)}`)),
  Effect.andThen(Effect.sleep(turnPause)),
  Effect.forever
)

/** Brings the actors of these webhooks in line with their rows. */
const refresh = Effect.fnUntraced(function* (
  running: Map<number, Running>,
  ids: ReadonlySet<number>,
  { life, turns }: Common
) {
  const streams = yield* Streams
  const shared = yield* surroundings
  // What plain SQL wrote in the clear does not stay so.
  yield* sealHidden(type, [...ids])
  const rows = new Map((yield* byIds(type, ids)).map((row) => [row.id, row as WebhookRow]))
  for (const id of ids) {
    const row = rows.get(id)
    const present = running.get(id)
    const isActive = row !== undefined && row.enabled === true && row.paused !== true
    const definition = isActive ? yield* usable(row, shared) : undefined
    if (definition !== undefined) {
      if (present !== undefined) {
        if (present.actor.isOpen()) yield* Effect.ignore(streams.probeNow(id))
        present.actor.redefine(definition)
        continue
      }
      const scope = yield* Scope.make()
      running.set(id, { actor: yield* Scope.provide(startActor(definition, turns), scope), scope })
    } else {
      running.delete(id)
      // A webhook that is gone owes nothing any more; one that is disabled, paused or unusable keeps what it has.
      const forget = row === undefined ? Effect.ignore(streams.forget(id)) : Effect.void
      const close = present === undefined ? Effect.void : Scope.close(present.scope, Exit.void)
      // Attempts under way may take a while to end; others must not wait for them.
      yield* Effect.forkIn(Effect.andThen(close, forget), life)
    }
  }
})

/**
 * The definition of a webhook. Plain SQL may have written values that the API refuses: then its deliveries wait until
 * the row changes, and those of all others go on.
 */
const usable = (row: WebhookRow, shared: Surroundings) =>
  Effect.try(() => definitionOf(row, shared)).pipe(
    Effect.catch(({ cause }) =>
      Effect.as(
        Effect.logError(`deliver: webhook ${row.id} cannot be used, its deliveries wait: ${inWords(cause)}`),
        undefined
      )
    )
  )

/** A look for what was missed. */
const rounds = (running: ReadonlyMap<number, Running>) =>
  sweep((webhook) => running.get(webhook)?.actor).pipe(
    Effect.andThen(takeUp(running)),
    Effect.catch((error) => Effect.logWarning(`deliver: the look for what was missed failed: ${inWords(error)}`))
  )

/** Says for all that is being worked on that it is. */
const keepHold = (running: ReadonlyMap<number, Running>) =>
  Effect.gen(function* () {
    const streams = yield* Streams
    for (const [id, { actor }] of running) {
      const held = actor.held()
      if (held.length > 0) yield* streams.keep(id, held)
    }
  }).pipe(Effect.ignore)
