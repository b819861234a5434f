/** Reading a webhook's entries: as many as there is room for, no faster than its fair share and its rate limit. */
import { Effect, type Scope } from "effect"
import { processLimits } from "../../limit/ProcessLimits.ts"
import { paused } from "../../eventloop/Pace.ts"
import type { Entry } from "../../queue/Entry.ts"
import { objectOf } from "../../queue/Ordered.ts"
import { Streams } from "../../queue/Streams.ts"
import type { BatchPolicy } from "../../webhook/BatchPolicy.ts"
import type { ActorState } from "./ActorState.ts"
import type { Start } from "./Attempts.ts"
import type { FairShare, Reader } from "./FairShare.ts"

/** Most requests that begin in one turn of the event loop: each takes some 60 us of it. */
const portionMax = 128

/** Requests of a webhook with a rate limit that a process holds at once, in seconds of that rate. */
const heldSeconds = 1

/** Reads and starts entries until there is no room, or nothing to read. `start` gets the wait for each request's slot. */
export const readAndStart = Effect.fnUntraced(
  function* (state: ActorState, share: FairShare, start: Start, scope: Scope.Scope) {
    const { id, webhook, breaker, inFlight } = state
    if (state.mayBeUrgent && breaker.isShut()) yield* startUrgent(state, start)
    for (let room = roomOf(state); room > 0 && hasShare(state); room = roomOf(state)) {
      // It wakes the reader when it is done.
      if (state.isReadingAhead && !inFlight.hasNotBegun) break
      if (!(yield* isDue(state))) break
      if (!(yield* breaker.mayBegin(webhook.current().definition.timeoutMillis))) break
      const isBehind = state.hasMore
      const portion = Math.min(room, portionMax, Math.max(processLimits.requests.room(id), 1))
      const count = isBehind ? yield* share.take(readerOf(state), portion) : portion
      const begun = yield* share.reading(readerOf(state), readPortion(state, start, count))
      if (!isBehind && !state.hasMore && begun > 0) share.keptUp(id)
      if (!state.hasMore) break
    }
    yield* readBeforehand(state, share, scope)
    // A timer rings at the earliest time that it was set to; the breaker may have been put off since.
    breaker.awaitProbe()
    state.reads.succeeded()
  },
  (reading, state) => Effect.catch(reading, (error) => readLater(state, error))
)

const readerOf = ({ id, webhook }: ActorState): Reader => ({
  webhook: id,
  owner: webhook.current().definition.owner
})

/** Begins the attempt of the next delivery that does not wait for the open breaker; one at a time, as a probe. */
const startUrgent = Effect.fnUntraced(function* (state: ActorState, start: Start) {
  const { id, webhook, inFlight } = state
  if (!mayRead(state) || inFlight.count > 0 || inFlight.unloggedRoom === 0 || !hasShare(state)) return
  const { ordered } = webhook.current().definition
  const entries = yield* (yield* Streams).readUrgent(id, 1, ordered)
  state.mayBeUrgent = entries.length > 0
  yield* startInTurn(
    state,
    start,
    entries.map((entry) => [entry])
  )
})

/** Begins the attempts of the next requests, up to `count` of them; returns how many. */
const readPortion = Effect.fnUntraced(function* (state: ActorState, start: Start, count: number) {
  const requests = yield* withPlaces(state.id, count, nextRequests(state, count))
  if (requests.length === 0) yield* state.breaker.endProbe
  return yield* startInTurn(state, start, requests)
})

/** Begins the requests, each in its slot of the rate limit; returns how many. */
const startInTurn = Effect.fnUntraced(function* (
  state: ActorState,
  start: Start,
  requests: ReadonlyArray<ReadonlyArray<Entry>>
) {
  const { id, webhook, readAhead } = state
  const { rateLimit } = webhook.current().definition
  const wait =
    rateLimit === undefined || requests.length === 0
      ? 0
      : yield* (yield* Streams).reserve(id, requests.length, rateLimit)
  readAhead.began(requests.length)
  requests.forEach((entries, at) => start(entries, rateLimit === undefined ? 0 : wait + (at * 1000) / rateLimit))
  return requests.length
})

const readLater = ({ id, reads, wake }: ActorState, error: { readonly message: string }) => {
  reads.failed(error)
  return Effect.logWarning(`deliver: webhook ${id} cannot be read: ${error.message}`).pipe(
    Effect.andThen(paused(({ deliver }) => deliver.retryMillis)),
    Effect.andThen(Effect.sync(wake))
  )
}

/** Whether the webhook has a share left of the limits of the process. If not, the reader looks again when it has. */
const hasShare = (state: ActorState): boolean => {
  const { id, wake, awaitsShare } = state
  const { requests, eventBytes } = processLimits
  const short = [requests, eventBytes].find((shares) => shares.room(id) === 0)
  if (short === undefined) return true
  if (awaitsShare) return false
  state.awaitsShare = true
  short.whenRoom(id, 1, () => {
    state.awaitsShare = false
    wake()
  })
  return false
}

/** Reads with places for so many requests taken meanwhile: other webhooks begin with theirs. */
const withPlaces = <A, E, R>(id: number, count: number, reading: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => processLimits.requests.change(id, count)),
    () => reading,
    () => Effect.sync(() => processLimits.requests.change(id, -count))
  )

/** How many more requests may begin, as far as the webhook is concerned. */
const roomOf = (state: ActorState): number => {
  const { webhook, breaker, inFlight } = state
  const { maxInFlight, rateLimit } = webhook.current().definition
  const max = Math.min(maxInFlight, Math.ceil((rateLimit ?? maxInFlight) * heldSeconds))
  return mayRead(state) ? Math.min(breaker.room(inFlight.count, max), inFlight.unloggedRoom) : 0
}

const mayRead = ({ intake, isGone }: ActorState): boolean => !isGone && !intake.isStopped

/** Whether something is read now: entries that make a batch may have to wait for others. */
const isDue = ({ id, webhook, inFlight, gathering }: ActorState) => {
  const { batch } = webhook.current().definition
  return batch === undefined || inFlight.hasNotBegun ? Effect.succeed(true) : gathering.isDue(id, batch)
}

/** The next requests, of one entry each, up to `room` of them; or the next batch. */
const nextRequests = Effect.fnUntraced(function* (state: ActorState, room: number) {
  const { batch } = state.webhook.current().definition
  if (batch !== undefined) return yield* nextBatch(state, batch)
  const entries = yield* next(state, room, state.readAhead.portion(room))
  state.hasMore ||= state.inFlight.hasNotBegun
  return (yield* firstsOf(state, entries)).map((entry) => [entry])
})

/** Entries that do not fit are held for the next batch, or follow in their object when this one is done. */
const nextBatch = Effect.fnUntraced(function* (state: ActorState, policy: BatchPolicy) {
  const size = state.gathering.sizeOf(policy)
  const entries = yield* next(state, size, size)
  const count = state.gathering.take(entries, policy)
  const rest = entries.slice(count)
  state.inFlight.putBack(yield* parked(state, rest))
  state.hasMore ||= state.inFlight.hasNotBegun
  return count === 0 ? [] : [entries.slice(0, count)]
})

/** Parks entries that follow another one of their object, as entries read for a batch may; returns the others. */
const firstsOf = (state: ActorState, entries: ReadonlyArray<Entry>) => {
  if (!state.webhook.current().definition.ordered) return Effect.succeed(entries)
  const firsts = new Map(entries.toReversed().map((entry) => [objectOf(entry.delivery), entry]))
  if (firsts.size === entries.length) return Effect.succeed(entries)
  const others = entries.filter((entry) => firsts.get(objectOf(entry.delivery)) !== entry)
  return Effect.map(parked(state, others), (left) => [...firsts.values(), ...left])
}

/** Parks entries that have to follow another one; returns the others. */
const parked = ({ id, webhook }: ActorState, entries: ReadonlyArray<Entry>) =>
  entries.length === 0 || !webhook.current().definition.ordered
    ? Effect.succeed(entries)
    : Effect.flatMap(Streams, (streams) => streams.park(id, entries))

/** The latest change of the webhook that entries tell of, milliseconds since 1970. */
const latestChange = (entries: ReadonlyArray<Entry>): number =>
  entries.reduce((latest, { delivery: { webhookChanged = 0 } }) => Math.max(latest, webhookChanged), 0)

/** Up to `count` entries to begin with: held ones first, else from the streams, of which `portion` are read. */
const next = Effect.fnUntraced(function* (state: ActorState, count: number, portion: number) {
  const { webhook, inFlight } = state
  state.hasMore = inFlight.hasNotBegun
  if (!state.hasMore) state.hasMore = (yield* readHeld(state, portion)) >= portion
  const entries = inFlight.takeNotBegun(count)
  const changed = latestChange(entries)
  if (changed <= Math.max(webhook.current().definition.changed, state.refreshed)) return entries
  // Held meanwhile: the webhook may turn out to be disabled, and its actor ends.
  inFlight.putBack(entries)
  yield* state.refresh
  state.refreshed = changed
  return inFlight.takeNotBegun(count)
})

/**
 * Begins to read the next entries while the ones before are under way, in a fiber of its own: a read takes as long as
 * many of them, and meanwhile the held entries begin.
 */
const readBeforehand = Effect.fnUntraced(function* (state: ActorState, share: FairShare, scope: Scope.Scope) {
  const { webhook, breaker, inFlight, intake, isGone, isReadingAhead, readAhead, hasMore } = state
  const { batch, rateLimit } = webhook.current().definition
  const isHeldBack = batch !== undefined || rateLimit !== undefined || !breaker.isCalm()
  if (!hasMore || isReadingAhead || isGone || intake.isStopped || isHeldBack) return
  const count = readAhead.beforehand(inFlight.notBegunCount)
  if (count === 0) return
  state.isReadingAhead = true
  yield* Effect.forkIn(share.reading(readerOf(state), reading(state, count)), scope)
})

const reading = Effect.fnUntraced(
  function* (state: ActorState, count: number) {
    state.hasMore = (yield* readHeld(state, count)) >= count
    // Somebody asked meanwhile that this process hands back its entries.
    const { id, intake, inFlight } = state
    if (intake.isQuiet) yield* (yield* Streams).handBack(id, inFlight.takeNotBegun(Number.POSITIVE_INFINITY))
  },
  (effect, state) =>
    Effect.ensuring(
      effect,
      Effect.sync(() => (state.isReadingAhead = false))
    ).pipe(
      Effect.andThen(Effect.sync(state.wake)),
      Effect.catch((error) => readLater(state, error))
    )
)

/**
 * Reads as many entries from each of the streams and holds them; returns how many. Not interrupted in between: an entry
 * that is read and not held would wait for the end of its lease.
 */
const readHeld = Effect.fnUntraced(
  function* ({ id, webhook, inFlight, gathering }: ActorState, count: number) {
    const { ordered, batch } = webhook.current().definition
    const entries = yield* (yield* Streams).read(id, count, ordered, batch !== undefined)
    inFlight.postpone(entries)
    gathering.begin()
    return entries.length
  },
  (reading) => Effect.uninterruptible(reading)
)
