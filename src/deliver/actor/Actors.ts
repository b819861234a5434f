/** The actors of a process: one per webhook that is enabled and not paused, as its row says. */
import { Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import type { Vault } from "../../inventory/Vault.ts"
import { monotonicMillis } from "../../eventloop/Monotonic.ts"
import type { Clearance } from "../../inventory/Clearance.ts"
import { byIds } from "../../inventory/read/Read.ts"
import { objectType } from "../../inventory/Registry.ts"
import type Webhook from "../../inventory/types/extras/Webhook.ts"
import type { WebhookRow } from "../../match/WebhookIndex.ts"
import { sealHidden } from "../../inventory/write/Hidden.ts"
import type { ReconciledRedis } from "../../queue/reconcile/ReconciledRedis.ts"
import { Streams } from "../../queue/Streams.ts"
import type { Templates } from "../../template/Template.ts"
import type { EventBodies } from "../../changelog/EventBodies.ts"
import type { DeliveryLog } from "../../log/DeliveryLog.ts"
import { discardDeleted } from "../../queue/reconcile/Deleted.ts"
import { type Actor, startActor } from "./Actor.ts"
import { definitionOf, surroundings } from "../../webhook/Definition.ts"
import { FairShare } from "../reading/FairShare.ts"
import { Intake } from "./Intake.ts"
import { Loops } from "./Loops.ts"
import { Unusable } from "./Unusable.ts"

const type = objectType<typeof Webhook>("extras.webhook")

interface Running {
  readonly actor: Actor
  readonly scope: Scope.Closeable
  /** The row that it follows, as text. */
  readonly row: string
}

/** A row as text without its health: a turn of that is no reason to probe the receiver or to connect anew. */
const textOf = (row: WebhookRow): string => JSON.stringify({ ...row, health: undefined, health_since: undefined })

type Needs = ReconciledRedis | Streams | Templates | EventBodies | DeliveryLog | SqlClient.SqlClient | Vault | Clearance

/** The actors, none at first; all of them end with the scope, at the same time. */
export const makeActors = Effect.gen(function* () {
  const shared = yield* surroundings
  const now = yield* monotonicMillis
  const [share, intake, loops] = [new FairShare(now), new Intake(), new Loops(now)]
  const scope = yield* Effect.scope
  const life = yield* Scope.fork(scope, "parallel")
  const running = new Map<number, Running>()
  const unusable = new Unusable()
  // An actor may request a read of its row while the announcement is being followed.
  const one = yield* Semaphore.make(1)
  const context = yield* Effect.context<Needs>()

  const start = Effect.fnUntraced(function* (row: WebhookRow) {
    const present = running.get(row.id)
    const text = textOf(row)
    if (present?.row === text) return
    const definition = yield* definitionOf(row, shared)
    if (present !== undefined) {
      yield* present.actor.redefine(definition)
      running.set(row.id, { ...present, row: text })
      return
    }
    const own = yield* Scope.fork(life)
    const actor = yield* startActor(definition, { share, intake, loops }, refreshOf(row.id)).pipe(
      Scope.provide(own),
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
    )
    running.set(row.id, { actor, scope: own, row: text })
  })

  /** Attempts under way may take a while to end; other webhooks do not wait for them. */
  const stop = <R>(id: number, after: Effect.Effect<void, never, R>) =>
    Effect.suspend(() => {
      const present = running.get(id)
      running.delete(id)
      const close = present === undefined ? Effect.void : Scope.close(present.scope, Exit.void)
      return Effect.forkIn(Effect.andThen(close, after), scope)
    })

  const followRows = Effect.fnUntraced(function* (ids: ReadonlySet<number>) {
    // Plain SQL may have written secrets in the clear.
    yield* sealHidden(type, [...ids])
    const rows = new Map((yield* byIds(type, ids)).map((row) => [row.id, row]))
    for (const id of ids) {
      const row = rows.get(id)
      unusable.forget(id)
      if (row === undefined) yield* stop(id, endDeleted(id))
      // A webhook that is disabled or paused keeps the deliveries that it is owed.
      else if (row.enabled !== true || row.paused === true) yield* stop(id, Effect.void)
      else yield* Effect.catch(start(row), (error) => Effect.andThen(unusable.note(error), stop(id, Effect.void)))
    }
  })

  /** Starts, redefines and stops actors as the rows of these webhooks say. */
  const follow = (ids: ReadonlySet<number>) => one.withPermits(1)(followRows(ids))

  const refreshOf = (id: number): Effect.Effect<void, { readonly message: string }> =>
    Effect.suspend(() => Effect.provideContext(follow(new Set([id])), context))

  return {
    follow,
    intake,
    loops,
    unusable,
    get: (webhook: number): Actor | undefined => running.get(webhook)?.actor,
    all: (): ReadonlyArray<readonly [webhook: number, Actor]> =>
      Array.from(running, ([webhook, { actor }]) => [webhook, actor]),
    count: () => running.size
  }
})

export type Actors = Effect.Success<typeof makeActors>

/** Ends what a deleted webhook has left. What fails is found later (reconcile/Deleted.ts). */
const endDeleted = Effect.fnUntraced(function* (id: number) {
  const streams = yield* Streams
  yield* Effect.ignore(streams.forget(id))
  // The inspection finds nothing, and so ends its mark and its backlog.
  yield* Effect.ignore(streams.mark([id]))
  yield* Effect.ignore(discardDeleted(id))
})
