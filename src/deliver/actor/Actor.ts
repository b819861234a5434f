/**
 * The actor of one webhook in this process: reads its entries while it has room, and sees each through one attempt.
 *
 * It lives in a fiber of its own. What a slow receiver fills is this actor's room and its own stream, nothing else.
 */
import { Effect, FiberSet, Queue, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inWords } from "../../Telemetry.ts"
import type { BreakerNews } from "../../stream/Breaker.ts"
import type { Entry } from "../../stream/Entry.ts"
import { Streams } from "../../stream/Streams.ts"
import { Templates } from "../../template/Template.ts"
import { makeEarliestTimer } from "./EarliestTimer.ts"
import { makeAttempt } from "../attempt/Attempt.ts"
import { type Breaker, closedBreaker, roomOf } from "../breaker/Breaker.ts"
import { forgetBreaker } from "../breaker/BreakerTable.ts"
import type { Definition } from "./Definition.ts"
import { disable } from "../outcome/Disable.ts"
import { DeliveryLog } from "../log/DeliveryLog.ts"
import { EventBodies } from "../attempt/EventBodies.ts"
import { isRendered } from "../attempt/Request.ts"
import { inRateSlot } from "./RateSlot.ts"
import { learn, learnAtStart, mayBegin, turnBreaker } from "../breaker/SharedBreaker.ts"
import { logDefectAndContinue } from "../LogDefect.ts"
import type { FairShare } from "./FairShare.ts"

export interface Actor {
  readonly id: number
  /** Something may be there to read. */
  readonly wake: () => void
  /** Takes over entries whose holder is gone. */
  readonly adopt: (entries: ReadonlyArray<Entry>) => void
  /** From now on attempts follow this definition. */
  readonly redefine: (definition: Definition) => void
  /** Entries that we hold. */
  readonly held: () => ReadonlyArray<Entry>
  /** What another process says of the circuit breaker. */
  readonly learn: (news: BreakerNews) => void
  /** Whether the circuit breaker keeps it from reading. */
  readonly isOpen: () => boolean
  /** Whether order within an object matters. */
  readonly isOrdered: () => boolean
  /** Something waits that is due in so many milliseconds. */
  readonly dueIn: (millis: number) => void
}

/** Pause before reading is tried again when Redis is away. */
const readPause = "500 millis"

/** Time that attempts under way get to end when the actor does, milliseconds; what is left is handed back. */
const graceMillis = 10_000

/** Entries of a webhook with a limited rate that a process holds at once, in seconds of that rate. */
const heldSeconds = 1

/** Most attempts of a webhook that wait for the log: an attempt leaves its room when its answer is there, not later. */
const unloggedMax = 256

type Needs = Streams | Templates | EventBodies | DeliveryLog | SqlClient.SqlClient

/** Starts the actor in the scope. */
export const startActor = (first: Definition, turns: FairShare): Effect.Effect<Actor, never, Scope.Scope | Needs> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Needs>()
    const streams = yield* Streams
    // One signal is as good as many.
    const signals = yield* Queue.sliding<void>(1)
    const attempts = yield* FiberSet.make<void>()
    const runAttempt = yield* FiberSet.runtime(attempts)<Needs>()
    const state = new State(first, () => void Queue.offerUnsafe(signals, undefined))
    const reopen = yield* makeEarliestTimer(Effect.sync(state.wake))
    const dueIn: (millis: number) => void = yield* makeEarliestTimer(Effect.suspend(() => promote))

    const promote = Effect.suspend(() => streams.promote(first.id, state.definition.ordered)).pipe(
      Effect.map(({ moved, next }) => {
        if (moved > 0) state.wake()
        if (next !== undefined) dueIn(next)
      }),
      Effect.catch(() => Effect.sync(() => dueIn(1000)))
    )

    const start = (entry: Entry, waitMillis: number) => {
      if (!state.begin(entry)) return
      const attempt = seeThrough(state, entry, dueIn, reopen)
      const whole =
        waitMillis > 0
          ? Effect.andThen(
              inRateSlot(streams, () => state.definition, waitMillis),
              attempt
            )
          : attempt
      runAttempt(whole.pipe(Effect.ensuring(Effect.sync(() => state.end(entry)))))
    }

    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(attempts).pipe(
        Effect.timeoutOption(graceMillis),
        Effect.andThen(Effect.ignore(Effect.suspend(() => streams.handBack(first.id, state.held())))),
        Effect.andThen(Effect.promise(() => state.definition.connections.agent.destroy())),
        Effect.andThen(state.breaker.until === undefined ? Effect.void : forgetBreaker(first.id)),
        Effect.provideContext(services)
      )
    )
    const read = logDefectAndContinue(`reading webhook ${first.id}`)(readAll(state, { turns, reopen, start }))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(signals), read)))
    yield* promote
    yield* learnAtStart(state)
    state.wake()
    return {
      id: first.id,
      wake: state.wake,
      adopt: state.adopt,
      redefine: state.redefine,
      held: state.held,
      learn: (news) => learn(state, news),
      isOpen: () => state.breaker.until !== undefined,
      isOrdered: () => state.definition.ordered,
      dueIn
    }
  })

interface Reading {
  readonly turns: FairShare
  /** Wakes the actor when its breaker lets a probe through. */
  readonly reopen: (millis: number) => void
  readonly start: (entry: Entry, waitMillis: number) => void
}

/** Reads and starts what there is room for. */
const readAll = (state: State, { turns, reopen, start }: Reading) =>
  Effect.gen(function* () {
    const streams = yield* Streams
    const { id } = state.definition
    for (let room = state.room(); room > 0; room = state.room()) {
      if (!(yield* mayBegin(state))) break
      const isBehind = state.more
      const entries = yield* state.next(isBehind ? yield* turns.take(id, room) : room, streams)
      if (!isBehind && !state.more && entries.length > 0) turns.keptUp(id)
      if (entries.length === 0 && state.breaker.until !== undefined) yield* streams.endProbe(id)
      const { rateLimit } = state.definition
      const wait =
        rateLimit === undefined || entries.length === 0 ? 0 : yield* streams.reserve(id, entries.length, rateLimit)
      entries.forEach((entry, at) => start(entry, rateLimit === undefined ? 0 : wait + (at * 1000) / rateLimit))
      if (!state.more) break
    }
    const { until } = state.breaker
    // An alarm rings at the earliest time that it was set to, which may have been put off since.
    if (until !== undefined && until > performance.now()) reopen(until - performance.now())
  }).pipe(
    Effect.tapError((error) =>
      Effect.logWarning(`deliver: webhook ${state.definition.id} cannot be read: ${error.message}`)
    ),
    Effect.catch(() => Effect.andThen(Effect.sleep(readPause), Effect.sync(state.wake)))
  )

/** What the actor works on, and whether it may take more. */
class State {
  /** The last read gave all that was asked for. */
  more = false
  breaker: Breaker = closedBreaker
  /** The receiver said that it wants no more; the row says so too, or will in a moment. */
  isGone = false
  definition: Definition
  readonly wake: () => void
  private readonly inFlight = new Map<string, Entry>()
  /** Answered, and on their way to the log. */
  private readonly unlogged = new Map<string, Entry>()
  /** Held and not begun: taken over from others, or held up. */
  private adopted: Array<Entry> = []

  constructor(definition: Definition, wake: () => void) {
    this.definition = definition
    this.wake = wake
  }

  /** How many more attempts may begin. */
  room(): number {
    const { maxInFlight, rateLimit } = this.definition
    const max = Math.min(maxInFlight, Math.ceil((rateLimit ?? maxInFlight) * heldSeconds))
    if (this.isGone) return 0
    const attempts = roomOf(this.breaker, performance.now(), this.inFlight.size, max)
    return Math.min(attempts, unloggedMax - this.unlogged.size)
  }

  /** Whether what was begun has to wait after all. */
  isHeldUp(): boolean {
    return this.isGone || (this.breaker.until ?? 0) > performance.now()
  }

  /** Keeps an entry that was begun for later. */
  postpone(entry: Entry): void {
    this.adopted.push(entry)
  }

  /** Up to `count` entries to begin with. */
  next(count: number, streams: Streams["Service"]) {
    const { id, ordered } = this.definition
    const adopted = this.adopted.splice(0, count)
    this.more = adopted.length > 0
    if (this.more) return Effect.succeed(adopted)
    return Effect.map(streams.read(id, count, ordered), (entries) => {
      this.more = entries.length >= count
      // Of each stream as many were read: what there is no room for is begun with next.
      this.adopted.push(...entries.slice(count))
      return entries.slice(0, count)
    })
  }

  /** Whether it was not begun already. */
  begin(entry: Entry): boolean {
    const key = keyOf(entry)
    if (this.inFlight.has(key) || this.unlogged.has(key)) return false
    this.inFlight.set(key, entry)
    return true
  }

  /** Its answer is there: another attempt may begin. */
  answered(entry: Entry): void {
    const key = keyOf(entry)
    this.inFlight.delete(key)
    this.unlogged.set(key, entry)
    this.readOn()
  }

  end(entry: Entry): void {
    const key = keyOf(entry)
    this.inFlight.delete(key)
    this.unlogged.delete(key)
    // What waited for this one, for order's sake, can be read now.
    if (this.definition.ordered) this.wake()
    else this.readOn()
  }

  /** When a good part is free, not once per entry. */
  private readOn(): void {
    const isFree = this.inFlight.size <= this.definition.maxInFlight / 2 && this.unlogged.size <= unloggedMax / 2
    if ((this.more || this.adopted.length > 0) && isFree) this.wake()
  }

  readonly adopt = (entries: ReadonlyArray<Entry>): void => {
    if (entries.length === 0) return
    const known = new Set(this.held().map(keyOf))
    this.adopted.push(...entries.filter((entry) => !known.has(keyOf(entry))))
    this.wake()
  }

  readonly held = (): ReadonlyArray<Entry> => [...this.inFlight.values(), ...this.unlogged.values(), ...this.adopted]

  readonly redefine = (next: Definition): void => {
    const { agent } = this.definition.connections
    // Not at once: a request that is being rendered still wants it.
    setTimeout(() => void agent.close(), graceMillis).unref()
    this.definition = next
    this.isGone = false
    // It may be what the receiver needed: it is probed at once.
    if (this.breaker.until !== undefined) this.breaker = { ...this.breaker, until: performance.now() }
    this.wake()
  }
}

const keyOf = ({ stream, entryId }: Entry): string => `${stream} ${entryId}`

const seeThrough = Effect.fnUntraced(function* (
  state: State,
  entry: Entry,
  dueIn: (millis: number) => void,
  reopen: (millis: number) => void
) {
  const streams = yield* Streams
  const log = yield* DeliveryLog
  const { id } = state.definition
  // A process that slept past its lease must not send what another has by now.
  const isLost =
    !streams.isOurs(entry) && (yield* streams.keep(id, [entry]).pipe(Effect.orElseSucceed(() => [entry]))).length > 0
  if (isLost) return
  const templates = yield* Templates
  const attempted = yield* (yield* EventBodies).use(entry.delivery, isRendered(state.definition), (loaded) =>
    // After the wait for a body: the definition is that of now.
    state.isHeldUp() ? Effect.undefined : makeAttempt(state.definition, entry.delivery, loaded, templates)
  )
  if (attempted === undefined) return state.postpone(entry)
  if (attempted.isGone) {
    state.isGone = true
    // Before the log, which others wait for too: no further request leaves for a receiver that is gone.
    yield* turnOff(id, attempted.attempt.response!.status)
  }
  yield* turnBreaker(state, attempted.attempt.failure, reopen)
  state.answered(entry)
  yield* log.record({ entry, ...attempted })
  if (attempted.outcome.kind === "Retry") dueIn(attempted.outcome.delayMillis)
})

const turnOff = (webhook: number, status: number) =>
  disable(webhook, `its receiver answered ${status} to say that it wants nothing any more`).pipe(
    Effect.tapError((error) => Effect.logWarning(`deliver: webhook ${webhook} was not disabled: ${inWords(error)}`)),
    Effect.ignore
  )
