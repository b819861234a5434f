/** Reading a webhook's entries: as many as there is room for, no faster than its fair share and its rate limit. */
import { Effect, type Scope } from "effect"
import { processLimits } from "../../limit/ProcessLimits.ts"
import { paused } from "../../eventloop/Pace.ts"
import { Stall } from "../../eventloop/Stall.ts"
import type { Entry } from "../../queue/Entry.ts"
import { withoutFinished } from "../../queue/reconcile/Finished.ts"
import { Streams } from "../../queue/Streams.ts"
import type { BatchPolicy } from "../../inventory/types/extras/WebhookBatch.ts"
import type { ActorParts } from "../actor/ActorParts.ts"
import type { FairShare, Reader } from "./FairShare.ts"
import { firstsOf, parked } from "./Parking.ts"
import { ReadAhead } from "./ReadAhead.ts"

/** Most requests that begin in one turn of the event loop: each takes some 60 us of it. */
const portionMax = 128

/** Requests of a webhook with a rate limit that a process reads ahead, in seconds of that rate. */
const heldSeconds = 1

/** Longest time for which a free place waits for others, milliseconds: most of them may be slow, or hang. */
const refillMillis = 10

/** The surroundings of a reader. `now` gives milliseconds; reads beside the attempts end with the scope. */
interface Surroundings {
  readonly share: FairShare
  readonly scope: Scope.Scope
  readonly now: () => number
  /** Time after which entries that cannot be read are a problem, milliseconds. */
  readonly unreadMillis: number
}

/** Starts the attempt of an entry, or of a batch of several, in so many milliseconds. */
export type Start = (entries: ReadonlyArray<Entry>, waitMillis: number) => void

export class Reading {
  private readonly parts: ActorParts
  private readonly share: FairShare
  private readonly scope: Scope.Scope
  private readonly readAhead: ReadAhead
  private readonly stall: Stall
  /** Whether the last read returned as many entries as requested. */
  private hasMore = false
  /** Whether a read is under way beside the attempts. */
  private isReadingAhead = false
  /** Whether it waits for a share of the limits of the process. */
  private awaitsShare = false
  /** Whether there may be entries that do not wait for an open breaker. */
  private mayBeUrgent = true
  /** The latest change of the webhook's row for which it was read anew, milliseconds since 1970. */
  private refreshed = 0

  constructor(parts: ActorParts, { share, scope, now, unreadMillis }: Surroundings) {
    this.parts = parts
    this.share = share
    this.scope = scope
    this.readAhead = new ReadAhead(now)
    this.stall = new Stall(`webhook ${parts.id} could not be read`, unreadMillis)
  }

  /** A sentence if entries cannot be read for a while. */
  problems(): ReadonlyArray<string> {
    return this.stall.problems()
  }

  /** Something may be there to read that does not wait for an open breaker. */
  urge(): void {
    this.mayBeUrgent = true
    this.parts.wake()
  }

  /** Reads on where half of the room is free, or in a moment, instead of once per entry. */
  readOn(): void {
    const { inFlight, webhook, wake, lookIn } = this.parts
    if (!this.hasMore && !inFlight.hasNotBegun) return
    if (inFlight.isHalfFree(webhook.current().definition.maxInFlight)) wake()
    else lookIn(refillMillis)
  }

  /** Reads on behind an entry that the actor has settled or released: others may wait for it, for order's sake. */
  readBehind(): void {
    const { webhook, breaker, wake } = this.parts
    if (webhook.current().definition.ordered || (this.mayBeUrgent && breaker.isShut())) wake()
    else this.readOn()
  }

  /** Reads and starts entries until there is no room, or nothing to read. `start` gets the wait for each request's slot. */
  read(start: Start) {
    return Effect.catch(this.reading(start), this.readLater)
  }

  private readonly reading = Effect.fnUntraced({ self: this }, function* (this: Reading, start: Start) {
    const { id, webhook, breaker, inFlight } = this.parts
    const { share } = this
    if (this.mayBeUrgent && breaker.isShut()) yield* this.startUrgent(start)
    for (let room = this.room(); room > 0 && this.hasShare(); room = this.room()) {
      // It wakes the reader when it is done.
      if (this.isReadingAhead && !inFlight.hasNotBegun) break
      if (!(yield* this.isDue())) break
      if (!(yield* breaker.mayBegin(webhook.current().definition.timeoutMillis))) break
      const isBehind = this.hasMore
      const portion = Math.min(room, portionMax, Math.max(processLimits.requests.room(id), 1))
      const count = isBehind ? yield* share.take(this.reader(), portion) : portion
      const begun = yield* share.reading(this.reader(), this.readPortion(start, count))
      if (!isBehind && !this.hasMore && begun > 0) share.keptUp(id)
      if (!this.hasMore) break
    }
    yield* this.readBeforehand()
    // A timer rings at the earliest time that it was set to; the breaker may have been put off since.
    breaker.awaitProbe()
    this.stall.succeeded()
  })

  private readonly readLater = (error: { readonly message: string }) => {
    const { id, wake } = this.parts
    this.stall.failed(error)
    return Effect.logWarning(`deliver: webhook ${id} cannot be read: ${error.message}`).pipe(
      Effect.andThen(paused(({ deliver }) => deliver.retryMillis)),
      Effect.andThen(Effect.sync(wake))
    )
  }

  private reader(): Reader {
    const { id, webhook } = this.parts
    return { webhook: id, owner: webhook.current().definition.owner }
  }

  /** Begins the attempt of the next delivery that does not wait for the open breaker; one at a time, as a probe. */
  private readonly startUrgent = Effect.fnUntraced({ self: this }, function* (this: Reading, start: Start) {
    const { id, webhook, inFlight } = this.parts
    if (!this.mayRead() || inFlight.count > 0 || inFlight.unloggedRoom === 0 || !this.hasShare()) return
    const { ordered } = webhook.current().definition
    const read = yield* (yield* Streams).readUrgent(id, 1, ordered)
    this.mayBeUrgent = read.length > 0
    const entries = yield* withoutFinished(id, read)
    yield* this.startInTurn(
      start,
      entries.map((entry) => [entry])
    )
  })

  /** Begins the attempts of the next requests, up to `count` of them; returns how many. */
  private readonly readPortion = Effect.fnUntraced(
    { self: this },
    function* (this: Reading, start: Start, count: number) {
      const { id, breaker } = this.parts
      const requests = yield* withPlaces(id, count, this.nextRequests(count))
      if (requests.length === 0) yield* breaker.endProbe
      return yield* this.startInTurn(start, requests)
    }
  )

  /** Begins the requests, each in its slot of the rate limit; returns how many. */
  private readonly startInTurn = Effect.fnUntraced(
    { self: this },
    function* (this: Reading, start: Start, requests: ReadonlyArray<ReadonlyArray<Entry>>) {
      const { id, webhook } = this.parts
      const { rateLimit } = webhook.current().definition
      const isLimited = rateLimit !== undefined && requests.length > 0
      const wait = isLimited ? yield* (yield* Streams).reserve(id, requests.length, rateLimit) : 0
      this.readAhead.began(requests.length)
      requests.forEach((entries, at) => start(entries, rateLimit === undefined ? 0 : wait + (at * 1000) / rateLimit))
      return requests.length
    }
  )

  /** Whether the webhook has a share left of the limits of the process. If not, the reader wakes when it has. */
  private hasShare(): boolean {
    const { id, wake } = this.parts
    const { requests, eventBytes } = processLimits
    const short = [requests, eventBytes].find((shares) => shares.room(id) === 0)
    if (short === undefined) return true
    if (this.awaitsShare) return false
    this.awaitsShare = true
    short.whenRoom(id, 1, () => {
      this.awaitsShare = false
      wake()
    })
    return false
  }

  /** How many more requests may begin, as far as the webhook is concerned. */
  private room(): number {
    const { webhook, breaker, inFlight } = this.parts
    const { maxInFlight, rateLimit } = webhook.current().definition
    const max = Math.min(maxInFlight, Math.ceil((rateLimit ?? maxInFlight) * heldSeconds))
    return this.mayRead() ? Math.min(breaker.room(inFlight.count, max), inFlight.unloggedRoom) : 0
  }

  private mayRead(): boolean {
    const { mode, intake } = this.parts
    return mode.mayRead && !intake.isStopped
  }

  /** Whether something is read now: entries that make a batch may have to wait for others. */
  private isDue() {
    const { id, webhook, inFlight, gathering } = this.parts
    const { batch } = webhook.current().definition
    return batch === undefined || inFlight.hasNotBegun ? Effect.succeed(true) : gathering.isDue(id, batch)
  }

  /** The next requests, of one entry each, up to `room` of them; or the next batch. */
  private readonly nextRequests = Effect.fnUntraced({ self: this }, function* (this: Reading, room: number) {
    const { webhook, inFlight } = this.parts
    const { batch } = webhook.current().definition
    if (batch !== undefined) return yield* this.nextBatch(batch)
    const entries = yield* this.next(room, this.readAhead.portion(room))
    this.hasMore ||= inFlight.hasNotBegun
    return (yield* firstsOf(this.parts, entries)).map((entry) => [entry])
  })

  /** Entries that do not fit are kept for the next batch, or follow in their object when this one is done. */
  private readonly nextBatch = Effect.fnUntraced({ self: this }, function* (this: Reading, policy: BatchPolicy) {
    const { inFlight, gathering } = this.parts
    const size = gathering.sizeOf(policy)
    const entries = yield* this.next(size, size)
    const count = gathering.take(entries, policy)
    const rest = entries.slice(count)
    inFlight.putBack(yield* parked(this.parts, rest))
    this.hasMore ||= inFlight.hasNotBegun
    return count === 0 ? [] : [entries.slice(0, count)]
  })

  /** Up to `count` entries to begin with: kept ones first, else from the streams, of which `portion` are read. */
  private readonly next = Effect.fnUntraced({ self: this }, function* (this: Reading, count: number, portion: number) {
    const { webhook, inFlight, refresh } = this.parts
    this.hasMore = inFlight.hasNotBegun
    if (!this.hasMore) this.hasMore = (yield* readHeld(this.parts, portion)) >= portion
    const entries = inFlight.takeNotBegun(count)
    const changed = latestChange(entries)
    if (changed <= Math.max(webhook.current().definition.changed, this.refreshed)) return entries
    // Held meanwhile: the webhook may turn out to be disabled, and its actor ends.
    inFlight.putBack(entries)
    yield* refresh
    this.refreshed = changed
    return inFlight.takeNotBegun(count)
  })

  /**
   * Begins to read the next entries while the ones before are under way, in a fiber of its own: a read takes as long as
   * many of them, and meanwhile the held entries begin.
   */
  private readonly readBeforehand = Effect.fnUntraced({ self: this }, function* (this: Reading) {
    const { webhook, breaker, inFlight } = this.parts
    const { batch, rateLimit } = webhook.current().definition
    const isHeldBack = batch !== undefined || rateLimit !== undefined || !breaker.isCalm()
    if (!this.hasMore || this.isReadingAhead || !this.mayRead() || isHeldBack) return
    const count = this.readAhead.beforehand(inFlight.notBegunCount)
    if (count === 0) return
    this.isReadingAhead = true
    yield* Effect.forkIn(this.share.reading(this.reader(), this.readBeside(count)), this.scope)
  })

  private readBeside(count: number) {
    const end = Effect.sync(() => (this.isReadingAhead = false))
    return Effect.ensuring(this.readAndHold(count), end).pipe(
      Effect.andThen(Effect.sync(this.parts.wake)),
      Effect.catch(this.readLater)
    )
  }

  private readonly readAndHold = Effect.fnUntraced({ self: this }, function* (this: Reading, count: number) {
    const { id, intake, inFlight } = this.parts
    this.hasMore = (yield* readHeld(this.parts, count)) >= count
    // A request to release the entries of this process came meanwhile.
    if (intake.isQuiet) yield* (yield* Streams).handBack(id, inFlight.takeNotBegun(Number.POSITIVE_INFINITY))
  })
}

/** Reads with places for so many requests taken meanwhile: other webhooks begin with theirs. */
const withPlaces = <A, E, R>(id: number, count: number, reading: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => processLimits.requests.change(id, count)),
    () => reading,
    () => Effect.sync(() => processLimits.requests.change(id, -count))
  )

/** The latest change of the webhook that entries name, milliseconds since 1970. */
const latestChange = (entries: ReadonlyArray<Entry>): number =>
  entries.reduce((latest, { delivery: { webhookChanged = 0 } }) => Math.max(latest, webhookChanged), 0)

/**
 * Reads as many entries from each of the streams and holds them; returns how many. Not interrupted in between: an entry
 * that is read and not held would wait for the end of its lease.
 */
const readHeld = Effect.fnUntraced(
  function* ({ id, webhook, inFlight, gathering }: ActorParts, count: number) {
    const { ordered, batch } = webhook.current().definition
    const entries = yield* (yield* Streams).read(id, count, ordered, batch !== undefined)
    inFlight.postpone(yield* withoutFinished(id, entries))
    gathering.begin()
    return entries.length
  },
  (reading) => Effect.uninterruptible(reading)
)
