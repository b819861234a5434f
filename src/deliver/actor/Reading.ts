/** Reading a webhook's entries: as many as there is room for, no faster than its fair share and its rate limit. */
import { Effect } from "effect"
import type { Entry } from "../../stream/Entry.ts"
import { Streams } from "../../stream/Streams.ts"
import type { ActorState } from "./ActorState.ts"
import type { FairShare } from "./FairShare.ts"

/** Pause before reading is tried again when Redis is away. */
const readPause = "500 millis"

/** Entries of a webhook with a rate limit that a process holds at once, in seconds of that rate. */
const heldSeconds = 1

/** Reads and starts entries until there is no room, or nothing to read. `start` gets the wait for each entry's slot. */
export const readAndStart = (state: ActorState, share: FairShare, start: (entry: Entry, waitMillis: number) => void) =>
  Effect.gen(function* () {
    const streams = yield* Streams
    const { id, webhook, breaker } = state
    for (let room = roomOf(state); room > 0; room = roomOf(state)) {
      if (!(yield* breaker.mayBegin(webhook.current().definition.timeoutMillis))) break
      const isBehind = state.hasMore
      const entries = yield* next(state, isBehind ? yield* share.take(id, room) : room)
      if (!isBehind && !state.hasMore && entries.length > 0) share.keptUp(id)
      if (entries.length === 0) yield* breaker.endProbe
      const { rateLimit } = webhook.current().definition
      const wait =
        rateLimit === undefined || entries.length === 0 ? 0 : yield* streams.reserve(id, entries.length, rateLimit)
      entries.forEach((entry, at) => start(entry, rateLimit === undefined ? 0 : wait + (at * 1000) / rateLimit))
      if (!state.hasMore) break
    }
    // A timer rings at the earliest time that it was set to; the breaker may have been put off since.
    breaker.awaitProbe()
    state.reads.succeeded()
  }).pipe(
    Effect.tapError((error) => {
      state.reads.failed(error)
      return Effect.logWarning(`deliver: webhook ${state.id} cannot be read: ${error.message}`)
    }),
    Effect.catch(() => Effect.andThen(Effect.sleep(readPause), Effect.sync(state.wake)))
  )

/** How many more attempts may begin. */
const roomOf = ({ webhook, breaker, inFlight, intake, isGone }: ActorState): number => {
  const { maxInFlight, rateLimit } = webhook.current().definition
  const max = Math.min(maxInFlight, Math.ceil((rateLimit ?? maxInFlight) * heldSeconds))
  return isGone || intake.isStopped ? 0 : Math.min(breaker.room(inFlight.count, max), inFlight.unloggedRoom)
}

/** The latest change of the webhook that entries tell of, milliseconds since 1970. */
const latestChange = (entries: ReadonlyArray<Entry>): number =>
  entries.reduce((latest, { delivery: { webhookChanged = 0 } }) => Math.max(latest, webhookChanged), 0)

/** Up to `count` entries to begin with: those that are held already, else from the streams. */
const next = Effect.fnUntraced(function* (state: ActorState, count: number) {
  const { webhook, inFlight } = state
  state.hasMore = inFlight.hasNotBegun
  if (!state.hasMore) state.hasMore = (yield* readHeld(state, count)) >= count
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
 * Reads from the streams and holds what was read, of each stream as many; returns how many. Not interrupted in between:
 * an entry that is read and not held would wait for the end of its lease.
 */
const readHeld = ({ id, webhook, inFlight }: ActorState, count: number) =>
  Effect.flatMap(Streams, (streams) => streams.read(id, count, webhook.current().definition.ordered)).pipe(
    Effect.map((entries) => {
      inFlight.postpone(entries)
      return entries.length
    }),
    Effect.uninterruptible
  )
