/**
 * Floods: deliveries that a batch owes to the webhooks of one user, where others would wait long for so many.
 *
 * A flood is queued behind its batch, from the change log, while the next batches are appended. The webhooks are late
 * until that is done: each batch leaves their events to the flood, so their order stays that of the WAL. The debt is
 * noted beside the watermarks before the WAL is confirmed, and Redis refuses entries that are queued again after a
 * crash.
 */
import { Effect, Queue, Semaphore } from "effect"
import { CaptureError } from "../capture/CaptureError.ts"
import { eventsUpTo } from "../changelog/EventsAfter.ts"
import { type LoggedEvent, eventOf, subjectOf } from "../changelog/LoggedEvent.ts"
import { type Flood, floodsBefore, noteFlood } from "../queue/reconcile/FloodMarks.ts"
import type { Delivery } from "../event/Delivery.ts"
import { type Position, comparePositions, positionOf } from "../event/Position.ts"
import { everything } from "../inventory/derive/filter/Where.ts"
import type { Json } from "../inventory/derive/represent/Representation.ts"
import { SharedBudget } from "../match/Budget.ts"
import { firedNow } from "../match/Scope.ts"
import { WebhookIndex } from "../match/WebhookIndex.ts"
import { type Version, versionsOf } from "../match/WebhookVersions.ts"
import { paused } from "../eventloop/Pace.ts"
import { inSlices, mapInSlices } from "../eventloop/Slices.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import { asConsumerError } from "./ConsumerFailure.ts"
import { type EventMatch, deliveriesOf } from "./Matching.ts"

/** Most decisions about the webhooks of one user in one batch, 40 ms of work in all; more of them are a flood. */
const decisionsMax = 2000

/** Most deliveries, and most events, of one page. */
const pageMax = { deliveries: 20_000, events: 1000 }

const none: Position = { position: 0n, idx: 0 }

/** A batch without the events that are left to floods. */
export interface BatchSplit<O> {
  readonly rest: ReadonlyArray<O>
  /** The events that are left; undefined for none. */
  readonly flood: Flood | undefined
}

export class Floods {
  /** Decides about the events of late webhooks as these were then. */
  readonly index = new WebhookIndex()
  /** By late webhook, the place behind which its events are left to the flood. */
  private readonly late = new Map<number, Position>()
  /** Late webhooks whose versions are to be read, and versions that count later, in the order of the WAL. */
  private readonly unread = new Set<number>()
  private ahead: Array<Version> = []
  /** Batches left events up to `left`; the change log has events up to `logged`; events up to `filled` are queued. */
  private left = none
  private logged = none
  private filled = none
  private failure: CaptureError | undefined
  private readonly one = Semaphore.makeUnsafe(1)
  private readonly signals = Effect.runSync(Queue.sliding<void>(1))

  /** Begins a session that reads from this position on, and takes up the floods from before it. */
  readonly restart = <E, R>(begin: Effect.Effect<void, E, R>, from: bigint) =>
    this.one.withPermit(
      Effect.gen({ self: this }, function* (this: Floods) {
        // First: a beginning that fails leaves streams half filled, which nothing may be appended to.
        this.clear()
        this.failure = undefined
        yield* begin
        this.left = this.logged = none
        for (const { webhook, after, until } of yield* floodsBefore(from)) {
          this.join(webhook, after)
          if (comparePositions(this.logged, until) < 0) this.left = this.logged = until
        }
        yield* Queue.offer(this.signals, undefined)
      })
    )

  /** Fails if floods cannot continue in this session. */
  readonly sound = Effect.suspend(() => (this.failure === undefined ? Effect.void : Effect.fail(this.failure)))

  /** Takes from a batch, which brings these versions, the events that are left to floods. */
  divide<O extends EventMatch>(owed: ReadonlyArray<O>, versions: ReadonlyArray<Version>): Effect.Effect<BatchSplit<O>> {
    return Effect.flatMap(
      inSlices(sizeUp(owed, this.late.size > 0)),
      ({ asked, flooding }): Effect.Effect<BatchSplit<O>> => {
        for (const webhook of flooding) if (!this.late.has(webhook)) this.join(webhook, before(owed[0]!.event))
        for (const { webhook } of versions) if (this.late.has(webhook)) this.unread.add(webhook)
        const webhooks = new Map(
          [...asked, ...flooding].flatMap((webhook) => {
            const after = this.late.get(webhook)
            return after === undefined ? [] : [[webhook, after] as const]
          })
        )
        if (webhooks.size === 0) return Effect.succeed({ rest: owed, flood: undefined })
        // From now on these webhooks stay late until the batch is logged and queued.
        const until = placeOf(owed.at(-1)!.event)
        this.left = until
        return Effect.map(
          mapInSlices(owed, (each) => without(each, webhooks)),
          (rest) => ({ rest: rest.flatMap((each) => each ?? []), flood: { webhooks, until } })
        )
      }
    )
  }

  /** The change log has the events of this flood, and queries see the writes of their transactions. */
  release({ until }: Flood): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      this.logged = until
      return Queue.offer(this.signals, undefined)
    })
  }

  /** Queues floods, for ever. Deliveries are appended and noted when `queue` succeeds. */
  fill<E, R>(queue: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, E, R>) {
    const turn = this.one.withPermit(this.page(queue)).pipe(
      asConsumerError,
      Effect.catchDefect((defect) => Effect.fail(new CaptureError({ reason: "Transport", message: inWords(defect) }))),
      Effect.catch((error) => this.wait(error))
    )
    return Effect.forever(Effect.andThen(Queue.take(this.signals), Effect.repeat(turn, { while: (isMore) => isMore })))
  }

  /** Queues a page of events; succeeds with whether to continue. */
  private page<E, R>(queue: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, E, R>) {
    return Effect.gen({ self: this }, function* (this: Floods) {
      const { late, filled, logged } = this
      if (late.size === 0 || this.failure !== undefined) return false
      if (comparePositions(filled, logged) >= 0) {
        if (comparePositions(filled, this.left) >= 0) this.clear()
        return false
      }
      const count = Math.ceil(Math.min(pageMax.events, pageMax.deliveries / late.size))
      const events = yield* eventsUpTo(asTexts(filled), asTexts(logged), everything, count)
      yield* this.learn()
      const shared = new SharedBudget()
      const owed = yield* inSlices(this.matching(events, shared))
      yield* queue(yield* deliveriesOf(owed, yield* firedNow(this.index, owed, shared)))
      const last = events.at(-1)
      const until = last === undefined ? logged : positionOf(last)
      this.filled = until
      yield* noteFlood({ webhooks: new Map(Array.from(late.keys(), (webhook) => [webhook, until])), until })
      return true
    })
  }

  /** Reads versions of late webhooks. */
  private readonly learn = Effect.fnUntraced({ self: this }, function* (this: Floods) {
    for (const webhook of [...this.unread]) {
      // Before it is read: a batch may bring another one meanwhile.
      this.unread.delete(webhook)
      const versions = yield* versionsOf(webhook)
      this.ahead = [...this.ahead.filter((version) => version.webhook !== webhook), ...versions]
    }
    this.ahead.sort(comparePositions)
  });

  private *matching(
    events: ReadonlyArray<LoggedEvent>,
    shared: SharedBudget
  ): Generator<void, ReadonlyArray<EventMatch>> {
    const found: Array<EventMatch> = []
    for (const row of events) {
      const event = eventOf(row)
      while (this.ahead[0] !== undefined && comparePositions(this.ahead[0], event) <= 0) {
        const { webhook, row } = this.ahead.shift()!
        this.index.set(webhook, row)
      }
      const subject = subjectOf(row)
      const isOwed = (webhook: number): boolean => {
        const after = this.late.get(webhook)
        return after !== undefined && comparePositions(after, event) < 0
      }
      const webhooks = (yield* this.index.matching(subject, shared)).filter(isOwed)
      const scoped = this.index.scoped(subject).filter(({ webhook }) => isOwed(webhook))
      const considered = { ...subject, data: subject.data as Json }
      if (webhooks.length + scoped.length > 0) {
        found.push({ event, objectId: event.objectId, subject: considered, webhooks, scoped })
      }
      yield
    }
    return found
  }

  /** After a failure: tries again in a while, or leaves it to the next session. */
  private readonly wait = Effect.fnUntraced({ self: this }, function* (this: Floods, error: Error) {
    yield* Effect.logWarning(`pipeline: the deliveries of a flood were not queued: ${inWords(error)}`)
    // The page is read again, and the index is ahead of it.
    this.index.clear()
    this.ahead = []
    for (const webhook of this.late.keys()) this.unread.add(webhook)
    if (error instanceof CaptureError) this.failure = error
    else yield* paused(({ capture }) => capture.retryMaxMillis)
    return this.failure === undefined
  })

  private join(webhook: number, after: Position): void {
    if (this.late.size === 0 || comparePositions(after, this.filled) < 0) this.filled = after
    this.late.set(webhook, after)
    this.unread.add(webhook)
  }

  private clear(): void {
    this.late.clear()
    this.unread.clear()
    this.ahead = []
    this.index.clear()
  }
}

/** The webhooks of users with too many decisions in the batch; and, if `all`, every webhook that a decision is about. */
function* sizeUp(owed: ReadonlyArray<EventMatch>, all: boolean) {
  const counts = new Map<number, number>()
  const asked = new Set<number>()
  for (const { webhooks, scoped } of owed) {
    for (const { viewer } of scoped) counts.set(viewer, (counts.get(viewer) ?? 0) + 1)
    if (all) for (const webhook of [...webhooks, ...scoped.map(({ webhook }) => webhook)]) asked.add(webhook)
    yield
  }
  const flooding = new Set<number>()
  if ([...counts.values()].every((count) => count <= decisionsMax)) return { asked, flooding }
  for (const { scoped } of owed) {
    for (const { viewer, webhook } of scoped) if (counts.get(viewer)! > decisionsMax) flooding.add(webhook)
    yield
  }
  return { asked, flooding }
}

/** The debt to other webhooks; undefined for none. */
const without = <O extends EventMatch>(owed: O, late: ReadonlyMap<number, Position>): O | undefined => {
  const webhooks = owed.webhooks.filter((webhook) => !late.has(webhook))
  const scoped = owed.scoped.filter(({ webhook }) => !late.has(webhook))
  return webhooks.length + scoped.length > 0 ? { ...owed, webhooks, scoped } : undefined
}

const placeOf = ({ position, idx }: Position): Position => ({ position, idx })

const before = ({ position, idx }: Position): Position => ({ position, idx: idx - 1 })

const asTexts = ({ position, idx }: Position) => ({ position: `${position}`, idx: `${idx}` })
