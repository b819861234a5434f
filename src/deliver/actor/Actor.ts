/**
 * The actor of one webhook in this process: reads its entries while there is room, and sees each through one attempt.
 *
 * It lives in a fiber of its own. A slow receiver fills the room of its own actor and its own stream, nothing else.
 *
 * An entry has one path: read (Reading.ts), attempted, answered and logged (Attempts.ts). `InFlight` knows which
 * entries are where.
 */
import { Effect, FiberSet, Queue, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { processLimits } from "../../limit/ProcessLimits.ts"
import { monotonicMillis } from "../../eventloop/Monotonic.ts"
import { Pace } from "../../eventloop/Pace.ts"
import type { BreakerNews } from "../../queue/Breaker.ts"
import type { Entry } from "../../queue/Entry.ts"
import type { ReconciledRedis } from "../../queue/reconcile/ReconciledRedis.ts"
import { Streams } from "../../queue/Streams.ts"
import type { Templates } from "../../template/Template.ts"
import type { EventBodies } from "../../changelog/EventBodies.ts"
import { Gathering } from "../reading/Gathering.ts"
import { makeSharedBreaker } from "../breaker/SharedBreaker.ts"
import type { DeliveryLog } from "../../log/DeliveryLog.ts"
import { logDefectAndContinue } from "../../eventloop/LogDefect.ts"
import { ActorMode } from "./ActorMode.ts"
import type { ActorParts } from "./ActorParts.ts"
import { makeAttempts } from "./Attempts.ts"
import { makeConnected } from "../../webhook/Connected.ts"
import type { Definition, UnusableWebhook } from "../../webhook/Definition.ts"
import { makeEarliestTimer } from "./EarliestTimer.ts"
import type { FairShare } from "../reading/FairShare.ts"
import { InFlight } from "./InFlight.ts"
import type { Intake } from "./Intake.ts"
import type { Loops } from "./Loops.ts"
import { Reading } from "../reading/Reading.ts"

export interface Actor {
  /** Something may be there to read. */
  readonly wake: () => void
  /** Something may be there to read that does not wait for an open breaker. */
  readonly urge: () => void
  /** Begins with these deliveries before its others, with a probe if its circuit breaker is open. */
  readonly prefer: (ids: ReadonlySet<string>) => Effect.Effect<void>
  /** Claims entries whose process has died. */
  readonly adopt: (entries: ReadonlyArray<Entry>) => void
  /** From now on attempts follow this definition. If it fails, they follow the one before. */
  readonly redefine: (definition: Definition) => Effect.Effect<void, UnusableWebhook>
  /** Releases its entries that are not in flight, for other processes. */
  readonly handBack: Effect.Effect<void>
  /** Entries that this process leases. */
  readonly held: () => ReadonlyArray<Entry>
  /** Takes over news of the circuit breaker from another process. */
  readonly learn: (news: BreakerNews) => void
  /** Has its open circuit breaker probed at once. */
  readonly probe: Effect.Effect<void>
  /** Whether the circuit breaker keeps it from reading. */
  readonly isOpen: () => boolean
  /** Whether order within an object matters. */
  readonly isOrdered: () => boolean
  /** A sentence if its entries cannot be read for a while. */
  readonly problems: () => ReadonlyArray<string>
  /** Something waits that is due in so many milliseconds. */
  readonly dueIn: (millis: number) => void
}

type Needs = ReconciledRedis | Streams | Templates | EventBodies | DeliveryLog | SqlClient.SqlClient

/** The parts that all actors of a process share. */
interface ProcessShare {
  readonly share: FairShare
  readonly intake: Intake
  readonly loops: Loops
}

/** Starts the actor in the scope; `refresh` reads its webhook's row and follows it. */
export const startActor = (
  first: Definition,
  { share, intake, loops }: ProcessShare,
  refresh: ActorParts["refresh"]
): Effect.Effect<Actor, UnusableWebhook, Scope.Scope | Needs> =>
  Effect.gen(function* () {
    const streams = yield* Streams
    const { id } = first
    // One signal is as good as many.
    const signals = yield* Queue.sliding<void>(1)
    const wake = () => void Queue.offerUnsafe(signals, undefined)
    const fork = yield* FiberSet.makeRuntime<Needs>()
    const webhook = yield* makeConnected(first)
    const breaker = yield* makeSharedBreaker(id, wake)
    const inFlight = new InFlight((requests, chars) => {
      processLimits.requests.change(id, requests)
      processLimits.eventBytes.change(id, chars)
    })
    const dueIn: (millis: number) => void = yield* makeEarliestTimer(Effect.suspend(() => promote))
    const lookIn = yield* makeEarliestTimer(Effect.sync(wake))
    const now = yield* monotonicMillis
    const mode = new ActorMode()
    const gathering = new Gathering(now, lookIn)
    const own = { id, mode, webhook, breaker, inFlight, intake, loops, gathering }
    const parts: ActorParts = { ...own, refresh, wake, lookIn, dueIn }
    const promote = promoteDue(parts, streams)
    const { unreadMillis } = (yield* Pace).deliver
    const reading = new Reading(parts, { share, scope: yield* Effect.scope, now, unreadMillis })
    const start = yield* makeAttempts(parts, reading, fork)
    const read = logDefectAndContinue(`reading webhook ${id}`)(reading.read(start))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(signals), read)))
    yield* promote
    wake()
    return {
      wake,
      urge: () => reading.urge(),
      prefer: (ids) =>
        Effect.andThen(
          Effect.sync(() => inFlight.prefer(ids)),
          breaker.probe
        ),
      adopt: (entries) => {
        if (entries.length === 0) return
        inFlight.adopt(entries)
        wake()
      },
      redefine: (definition) =>
        webhook.redefine(definition).pipe(
          Effect.andThen(Effect.sync(() => mode.turn("redefine"))),
          // It may be what the receiver needed.
          Effect.andThen(Effect.suspend(() => (breaker.isOpen() ? breaker.probe : Effect.void))),
          Effect.andThen(Effect.sync(wake))
        ),
      handBack: Effect.ignore(
        Effect.suspend(() => streams.handBack(id, inFlight.takeNotBegun(Number.POSITIVE_INFINITY)))
      ),
      held: () => inFlight.all(),
      problems: () => reading.problems(),
      learn: breaker.learn,
      probe: breaker.probe,
      isOpen: breaker.isOpen,
      isOrdered: () => webhook.current().definition.ordered,
      dueIn
    }
  })

/** Moves the deliveries that are due to where they are read. */
const promoteDue = Effect.fnUntraced(
  function* ({ id, webhook, intake, wake, dueIn }: ActorParts, streams: Streams["Service"]) {
    const { moved, next } = yield* streams.promote(id, webhook.current().definition.ordered)
    if (next !== undefined) dueIn(next)
    if (moved === 0) return
    wake()
    // This process may be the only one with the times when they were due.
    if (intake.isQuiet) yield* streams.announce(id)
  },
  (promoting, { dueIn }) =>
    Effect.catch(promoting, () => Effect.map(Pace, ({ deliver }) => dueIn(deliver.followRetryMillis)))
)
