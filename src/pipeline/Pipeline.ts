/**
 * Where the stages of a change meet, which do not know each other: capture hands events on, match decides about them,
 * and stream queues their deliveries.
 */
import { Clock, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { Vault } from "../inventory/Vault.ts"
import { CaptureError } from "../capture/CaptureError.ts"
import type { EventBatch } from "../capture/fold/CapturedEvent.ts"
import { outrank } from "../capture/slot/Leadership.ts"
import { ConsumerUnavailable, EventConsumer, type Terms } from "../capture/EventConsumer.ts"
import { Settings } from "../Config.ts"
import { Pace } from "../eventloop/Pace.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { inSlices, mapInSlices } from "../eventloop/Slices.ts"
import { absentAmong } from "../queue/recover/Deleted.ts"
import { rebuild } from "../queue/recover/Rebuild.ts"
import { advance, loadTops, owedSince, watermarkTable } from "../queue/recover/Watermarks.ts"
import { Presence } from "../inventory/database/Presence.ts"
import type { Redis } from "../redis/Redis.ts"
import type { UsualRights } from "../auth/UsualRights.ts"
import { WebhookIndex } from "../match/WebhookIndex.ts"
import { keepVersions, versionsAt } from "../match/WebhookVersions.ts"
import { Append, Fenced, type Tops } from "../queue/Append.ts"
import type { Delivery } from "../event/Delivery.ts"
import { parsePosition } from "../event/Position.ts"
import type { Streams } from "../queue/Streams.ts"
import { type Matched, deliveriesOf, logUnmade, matchAll } from "./Matching.ts"
import { measureQueued } from "./Measured.ts"
import { RecentChanges } from "./RecentChanges.ts"
import { ownRedis } from "./RedisOwner.ts"
import { UnfinishedStreams, withoutDeleted } from "../queue/recover/UnfinishedStreams.ts"

type Needed = Append | Redis | Settings | SqlClient.SqlClient | Streams | UsualRights | Vault

/** Matches the events that capture hands on, and queues their deliveries. */
export const eventConsumerLayer = Layer.effect(
  EventConsumer,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needed>()
    const within = <A, E>(effect: Effect.Effect<A, E, Needed>) =>
      effect.pipe(asConsumerError, Effect.provideContext(context))
    const known: Known = {
      index: new WebhookIndex(),
      recent: new RecentChanges(),
      unfinished: new UnfinishedStreams(),
      counts: { deliveries: 0, duplicates: 0, streamsLost: 0 }
    }
    yield* tellStatus(known.index, known.counts)
    const { undecidedMillis } = (yield* Pace).pipeline
    yield* tellUndecided(known.index).pipe(Effect.schedule(Schedule.spaced(undecidedMillis)), Effect.forkScoped)
    return EventConsumer.of({
      begin: (terms) => within(begin(known, terms)),
      accept: (batch, logged) => {
        const accepted = within(accept(known, { batch, logged, matching: matchAll(known.index, batch) }))
        return Effect.map(accepted, ({ stored }) => ({ stored: within(stored) }))
      },
      owedSince: within(owedSince),
      verify: within(known.unfinished.check())
    })
  })
)

/** What is known of webhooks, their streams, and what was queued. */
interface Known {
  readonly index: WebhookIndex
  readonly recent: RecentChanges
  readonly unfinished: UnfinishedStreams
  readonly counts: { deliveries: number; duplicates: number; streamsLost: number }
}

const begin = Effect.fnUntraced(function* ({ index, recent, unfinished, counts }: Known, terms: Terms) {
  const { open, forget } = yield* Append
  const webhooks = yield* versionsAt(terms.from, terms.epochBegin, watermarkTable.name)
  index.clear()
  yield* mapInSlices(webhooks, (row) => index.set(row.id, row))
  recent.reset(webhooks, yield* Clock.currentTimeMillis)
  yield* ownRedis
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
  for (const webhook of left) yield* rebuild(webhook)
  unfinished.reset(before)
  unfinished.forget(deleted)
})

/** A batch that is being accepted; it is tried until that succeeds. */
interface Accepting {
  readonly batch: EventBatch
  /** Succeeds when the change log holds its events. */
  readonly logged: Effect.Effect<void>
  readonly matching: Generator<void, Matched>
  /** Matched once: at another try the index holds the webhooks as they are after the batch. */
  matched?: Matched
  /** Decided once: permissions may change between two tries. */
  decided?: ReadonlyArray<Delivery>
}

const accept = Effect.fnUntraced(function* ({ index, recent, unfinished, counts }: Known, accepting: Accepting) {
  const { append } = yield* Append
  const acceptedMillis = yield* Clock.currentTimeMillis
  const { versions, owed, unmade, shared } = (accepting.matched ??= yield* inSlices(accepting.matching))
  for (const { webhook, row } of versions) recent.learn(webhook, row, acceptedMillis)
  yield* keepVersions(versions)
  yield* logUnmade(unmade)
  const deliveries = (accepting.decided ??= yield* deliveriesOf(index, owed, shared))
  // The body of an entry without one is read from the change log.
  if (deliveries.some(({ chars }) => chars !== undefined)) yield* accepting.logged
  const decidedMillis = yield* Clock.currentTimeMillis
  const { tops, duplicates, lost } = yield* append(
    deliveries.map((delivery) => withTimes(delivery, recent, decidedMillis))
  )
  unfinished.forget(yield* withoutDeleted(lost))
  const appended = deliveries.filter(({ webhook }) => tops.has(webhook))
  counts.deliveries += appended.length - duplicates
  counts.duplicates += duplicates
  const stored = Effect.flatMap(toDisk(tops, unfinished), () =>
    Effect.map(Clock.currentTimeMillis, (storedMillis) =>
      measureQueued(accepting.batch.events, appended, { acceptedMillis, decidedMillis, storedMillis })
    )
  )
  return { stored }
})

const withTimes = (delivery: Delivery, recent: RecentChanges, nowMillis: number): Delivery => {
  const webhookChanged = recent.of(delivery.webhook, nowMillis)
  return { ...delivery, due: nowMillis, ...(webhookChanged !== undefined && { webhookChanged }) }
}

const tellStatus = Effect.fnUntraced(function* (index: WebhookIndex, counts: Readonly<Record<string, number>>) {
  const { tell } = yield* Presence
  const { memory } = yield* Append
  yield* tell(
    "match",
    Effect.sync(() => ({ webhooks: index.size, undecided: index.undecided }))
  )
  yield* tell(
    "stream",
    Effect.map(memory, ({ used, limit }) => ({ ...counts, redisBytes: used, redisBytesLimit: limit }))
  )
})

/** Succeeds when the entries are on disk and their tops are noted. */
const toDisk = Effect.fnUntraced(function* (tops: Tops, unfinished: UnfinishedStreams) {
  if (tops.size === 0) return
  yield* (yield* Append).onDisk
  yield* advance(tops)
  unfinished.note(tops)
})

/**
 * Fails with what capture expects. Where Redis knows a higher generation, another process leads, or led in a later copy
 * of this database: generations rise above that one from now on.
 */
const asConsumerError = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof Fenced,
    ({ generation, message }) => Effect.andThen(outrank(generation), new CaptureError({ reason: "Fenced", message }))
  ).pipe(
    Effect.mapError((error) =>
      error instanceof CaptureError ? error : new ConsumerUnavailable({ message: inWords(error) })
    )
  )

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
