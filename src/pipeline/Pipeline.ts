/**
 * Where the stages of a change meet, which do not import each other: capture hands events on, match decides about them,
 * and stream queues their deliveries.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import { chunksOf } from "effect/Array"
import type { SqlClient } from "effect/sql"
import type { Vault } from "../inventory/Vault.ts"
import { CaptureError } from "../capture/CaptureError.ts"
import type { EventBatch } from "../capture/CapturedEvent.ts"
import { EventConsumer, type Terms } from "../capture/EventConsumer.ts"
import { Settings } from "../Config.ts"
import { Pace } from "../eventloop/Pace.ts"
import { inSlices, mapInSlices } from "../eventloop/Slices.ts"
import { absentAmong } from "../queue/reconcile/Deleted.ts"
import { noteFlood } from "../queue/reconcile/FloodMarks.ts"
import { reconcile } from "../queue/reconcile/Reconcile.ts"
import { Restarted } from "../queue/reconcile/Restarted.ts"
import { advance, loadTops, owedSince, watermarkTable } from "../queue/reconcile/Watermarks.ts"
import type { Redis } from "../redis/Redis.ts"
import type { UsualRights } from "../auth/UsualRights.ts"
import { fired, untilVisible } from "../match/Scope.ts"
import { WebhookIndex } from "../match/WebhookIndex.ts"
import { keepVersions, versionsAt } from "../match/WebhookVersions.ts"
import { Append, type Tops } from "../queue/Append.ts"
import type { Delivery } from "../event/Delivery.ts"
import { parsePosition } from "../event/Position.ts"
import type { Streams } from "../queue/Streams.ts"
import { asConsumerError } from "./ConsumerFailure.ts"
import { type BatchSplit, Floods } from "./Floods.ts"
import { type BatchMatch, deliveriesOf, logUnmade, matchAll } from "./Matching.ts"
import { measureQueued } from "./Measured.ts"
import { RecentChanges } from "./RecentChanges.ts"
import { tellStatus } from "./QueueStatus.ts"
import { ownRedis } from "./RedisOwner.ts"
import { UnfinishedStreams, withoutDeleted } from "../queue/reconcile/UnfinishedStreams.ts"

type PipelineServices = Append | Redis | Settings | SqlClient.SqlClient | Streams | UsualRights | Vault

/** Matches the events that capture hands on, and queues their deliveries. */
export const eventConsumerLayer = Layer.effect(
  EventConsumer,
  Effect.gen(function* () {
    const context = yield* Effect.context<PipelineServices>()
    const within = <A, E>(effect: Effect.Effect<A, E, PipelineServices>) =>
      effect.pipe(asConsumerError, Effect.provideContext(context))
    const known: PipelineState = {
      index: new WebhookIndex(),
      recent: new RecentChanges(),
      unfinished: new UnfinishedStreams(),
      restarted: new Restarted(),
      floods: new Floods(),
      counts: { deliveries: 0, duplicates: 0, streamsLost: 0 }
    }
    yield* tellStatus(known.index, known.counts)
    const { undecidedMillis } = (yield* Pace).pipeline
    const indexes = [known.index, known.floods.index]
    yield* Effect.forEach(indexes, tellUndecided).pipe(
      Effect.schedule(Schedule.spaced(undecidedMillis)),
      Effect.forkScoped
    )
    yield* known.floods.fill((deliveries) => queueFlood(known, deliveries)).pipe(Effect.forkScoped)
    return EventConsumer.of({
      begin: (terms) => within(known.floods.restart(begin(known, terms), terms.from)),
      accept: (batch, logged) => {
        const accepted = within(accept(known, { batch, logged, matching: matchAll(known.index, batch) }))
        return Effect.map(accepted, ({ stored }) => ({ stored: within(stored) }))
      },
      owedSince: within(owedSince),
      verify: within(
        Effect.gen(function* () {
          yield* known.floods.sound
          const areUnreconciled = yield* known.restarted.check
          return (yield* known.unfinished.check()) || areUnreconciled
        })
      )
    })
  })
)

/** The state of webhooks, their streams, and the counts of queued deliveries. */
interface PipelineState {
  readonly index: WebhookIndex
  readonly recent: RecentChanges
  readonly unfinished: UnfinishedStreams
  readonly restarted: Restarted
  readonly floods: Floods
  readonly counts: { deliveries: number; duplicates: number; streamsLost: number }
}

const begin = Effect.fnUntraced(function* (known: PipelineState, terms: Terms) {
  const { index, recent, unfinished, restarted, counts } = known
  const { open, forget } = yield* Append
  const webhooks = yield* versionsAt(terms.from, terms.epochBegin, watermarkTable.name)
  index.clear()
  yield* mapInSlices(webhooks, (row) => index.set(row.id, row))
  recent.reset(webhooks, yield* Clock.currentTimeMillis)
  yield* ownRedis
  yield* restarted.begin
  const before = yield* loadTops
  const { lost, tops } = yield* open(terms.generation, before)
  const ahead = [...tops.values()].find((top) => parsePosition(top).position > terms.end)
  if (ahead !== undefined) {
    const message = `queued up to ${ahead}, which this database has not reached: it is an older copy`
    return yield* new CaptureError({ reason: "EpochMismatch", message })
  }
  const deleted = new Set(yield* absentAmong(lost))
  yield* forget(deleted)
  const left = lost.filter((webhook) => !deleted.has(webhook))
  counts.streamsLost += left.length
  for (const webhook of left) yield* reconcile(webhook)
  unfinished.reset(before)
  unfinished.forget(deleted)
})

/** A batch that is being accepted; it is tried until that succeeds. */
interface Accepting {
  readonly batch: EventBatch
  /** Succeeds when the change log has its events. */
  readonly logged: Effect.Effect<void>
  readonly matching: Generator<void, BatchMatch>
  /** Matched once: at a retry the index has the webhooks as they are after the batch. */
  matched?: BatchMatch
  /** Divided once: the webhooks of the flood are late from then on. */
  divided?: BatchSplit<BatchMatch["owed"][number]>
  /** Decided once: permissions may change between two tries. */
  decided?: ReadonlyArray<Delivery>
}

const accept = Effect.fnUntraced(function* (known: PipelineState, accepting: Accepting) {
  const { index, recent, floods } = known
  const acceptedMillis = yield* Clock.currentTimeMillis
  const { versions, owed, unmade, shared } = (accepting.matched ??= yield* inSlices(accepting.matching))
  for (const { webhook, row } of versions) recent.learn(webhook, row, acceptedMillis)
  yield* keepVersions(versions)
  yield* logUnmade(unmade)
  const { rest, flood } = (accepting.divided ??= yield* floods.divide(owed, versions))
  const deliveries = (accepting.decided ??= yield* deliveriesOf(rest, yield* fired(index, rest, shared)))
  if (deliveries.some(({ chars }) => chars !== undefined)) yield* accepting.logged
  const queued = yield* queue(known, deliveries)
  if (flood !== undefined) {
    yield* accepting.logged
    yield* untilVisible(owed.map(({ xid }) => xid))
    yield* floods.release(flood)
  }
  const stored = Effect.gen(function* () {
    yield* noteTops(queued.tops, known.unfinished)
    if (flood !== undefined) yield* noteFlood(flood)
    const storedMillis = yield* Clock.currentTimeMillis
    measureQueued(accepting.batch.events, queued.appended, { acceptedMillis, ...queued, storedMillis })
  })
  return { stored }
})

/** Appends deliveries, except to webhooks that were deleted. */
const queue = Effect.fnUntraced(function* (
  { recent, unfinished, counts }: PipelineState,
  deliveries: ReadonlyArray<Delivery>
) {
  const { append } = yield* Append
  const decidedMillis = yield* Clock.currentTimeMillis
  const { tops, duplicates, lost } = yield* append(
    deliveries.map((delivery) => withTimes(delivery, recent, decidedMillis))
  )
  unfinished.forget(yield* withoutDeleted(lost))
  const appended = deliveries.filter(({ webhook }) => tops.has(webhook))
  counts.deliveries += appended.length - duplicates
  counts.duplicates += duplicates
  return { tops, appended, decidedMillis }
})

/** Most deliveries of a flood that are appended together: deliveries of a batch are appended in between. */
const portionMax = 1000

const queueFlood = Effect.fnUntraced(function* (known: PipelineState, deliveries: ReadonlyArray<Delivery>) {
  const acceptedMillis = yield* Clock.currentTimeMillis
  const byWebhook = [...Map.groupBy(deliveries, ({ webhook }) => webhook).values()].flat()
  const queued = yield* Effect.forEach(chunksOf(byWebhook, portionMax), (portion) => queue(known, portion))
  yield* noteTops(new Map(queued.flatMap(({ tops }) => [...tops])), known.unfinished)
  const storedMillis = yield* Clock.currentTimeMillis
  for (const { appended, decidedMillis } of queued) {
    measureQueued([], appended, { acceptedMillis, decidedMillis, storedMillis })
  }
})

const withTimes = (delivery: Delivery, recent: RecentChanges, nowMillis: number): Delivery => {
  const webhookChanged = recent.of(delivery.webhook, nowMillis)
  return { ...delivery, due: nowMillis, ...(webhookChanged !== undefined && { webhookChanged }) }
}

/** Notes in Postgres up to where entries were appended: a Redis that loses one of them from now on has lost entries. */
const noteTops = Effect.fnUntraced(function* (tops: Tops, unfinished: UnfinishedStreams) {
  if (tops.size === 0) return
  yield* advance(tops)
  unfinished.note(tops)
})

/** Logs which webhooks did not fire because their condition could not be evaluated. */
const tellUndecided = (index: WebhookIndex) =>
  Effect.suspend(() =>
    Effect.forEach(
      index.takeUndecided(),
      ([webhook, { times, reason }]) =>
        Effect.logWarning(
          `match: webhook ${webhook} did not fire, ${times} times, because its condition cannot be evaluated: ${reason}`
        ),
      { discard: true }
    )
  )
