/**
 * The attempts of an actor: each entry from its begin to the delivery log.
 *
 * Responsible for: what an attempt waits for, its answer's effect on the webhook, and its record. Guarantees: an entry
 * is attempted at most once at a time; it leaves this process's hands only when its outcome is logged, or when it is
 * postponed. Does not: read entries, nor decide how many may begin.
 *
 * Most entries need nothing but their request. They go through plain functions: a fiber for each would cost more than
 * the rest of an attempt. Those that wait (for a slot of the rate limit, their lease, their body, a rendering, a token)
 * and those that fail go on in a fiber.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { inWords } from "../../Telemetry.ts"
import type { Entry } from "../../stream/Entry.ts"
import { Streams } from "../../stream/Streams.ts"
import { Templates } from "../../template/Template.ts"
import { type Made, attemptPlainly, makeAttempt, outcomeOf } from "../attempt/Attempt.ts"
import { EventBodies } from "../attempt/EventBodies.ts"
import type { Result } from "../log/AttemptRows.ts"
import { DeliveryLog } from "../log/DeliveryLog.ts"
import { logDefectAndContinue } from "../LogDefect.ts"
import { idsOf, measureAttempt } from "../Measured.ts"
import { disable } from "../outcome/Disable.ts"
import type { ActorState } from "./ActorState.ts"
import { graceMillis } from "./Connected.ts"
import { inRateSlot } from "./RateSlot.ts"

/** Starts the attempt of an entry in so many milliseconds. */
export type Start = (entry: Entry, waitMillis: number) => void

/**
 * At the end of the scope attempts under way get time to end; then what is left is handed back. `fork` lives longer than
 * the webhook's connections: what their end cuts off is logged.
 */
export const makeAttempts = Effect.fnUntraced(function* (state: ActorState, fork: Fork) {
  const services = {
    streams: yield* Streams,
    templates: yield* Templates,
    bodies: yield* EventBodies,
    log: yield* DeliveryLog,
    clock: yield* Clock.Clock
  }
  const attempts = new Attempts(state, services, fork)
  yield* Effect.addFinalizer(() => attempts.end)
  return attempts.start satisfies Start
})

interface Services {
  readonly streams: Streams["Service"]
  readonly templates: Templates["Service"]
  readonly bodies: EventBodies["Service"]
  readonly log: DeliveryLog["Service"]
  readonly clock: Clock.Clock
}

type Work = Effect.Effect<void, never, Streams | SqlClient.SqlClient>

type Fork = (work: Work) => unknown

class Attempts {
  private readonly state: ActorState
  private readonly services: Services
  private readonly fork: Fork

  constructor(state: ActorState, services: Services, fork: Fork) {
    this.state = state
    this.services = services
    this.fork = fork
  }

  readonly start: Start = (entry, waitMillis) => {
    const { webhook, inFlight } = this.state
    const { streams, clock } = this.services
    if (!inFlight.begin(entry)) return
    const current = webhook.current()
    const isLong = entry.delivery.chars !== undefined
    const isPrepared = current.isRendered || current.tokens !== undefined
    const waits = waitMillis > 0 || isPrepared || isLong || !streams.isOurs(entry)
    if (waits) this.fork(this.surviving(entry, this.waitAndAttempt(entry, waitMillis)))
    else if (!this.mayAttempt()) this.putOff(entry)
    else attemptPlainly(current, entry.delivery, clock.currentTimeMillisUnsafe(), (made) => this.made(entry, made))
  }

  /** Waits for what is under way, and hands back the rest. */
  readonly end = Effect.suspend(() => this.state.inFlight.awaitNone).pipe(
    Effect.timeoutOption(graceMillis),
    Effect.andThen(Effect.suspend(() => this.services.streams.handBack(this.state.id, this.state.inFlight.all()))),
    Effect.ignore
  )

  /** Waits for what the entry needs before its attempt, and holds it until the answer. */
  private readonly waitAndAttempt = Effect.fnUntraced(
    { self: this },
    function* (this: Attempts, entry: Entry, waitMillis: number) {
      const { id, webhook } = this.state
      const { streams, bodies, templates } = this.services
      if (waitMillis > 0) yield* inRateSlot(() => webhook.current().definition, waitMillis)
      // A process that slept past its lease must not send what another has by now.
      const isLost =
        !streams.isOurs(entry) &&
        (yield* streams.keep(id, [entry]).pipe(Effect.orElseSucceed(() => [entry]))).length > 0
      if (isLost) return this.ended(entry)
      const made = yield* bodies.use(entry.delivery, webhook.current().isRendered, (loaded) =>
        // After the wait for a body: the definition is the current one.
        this.mayAttempt() ? makeAttempt(webhook.current(), entry.delivery, loaded, templates) : Effect.undefined
      )
      if (made === undefined) this.putOff(entry)
      else this.made(entry, made)
    }
  )

  private made(entry: Entry, made: Made): void {
    const { attempt, isGone } = made
    const isPlain = attempt.failure === undefined && !isGone && this.state.breaker.isCalm()
    if (isPlain) this.record({ entry, attempt, outcome: { kind: "Delivered" } })
    else this.fork(this.surviving(entry, this.follow(entry, made)))
  }

  /** What an attempt means for its webhook, and for its delivery. */
  private readonly follow = Effect.fnUntraced(
    { self: this },
    function* (this: Attempts, entry: Entry, { attempt, isGone }: Made) {
      const { state } = this
      const outcome = yield* outcomeOf(state.webhook.current().definition, entry.delivery, attempt)
      if (isGone) {
        state.isGone = true
        // Before the log, which others wait for too: no further request leaves for a receiver that is gone.
        yield* turnOff(state.id, attempt.response!.status)
      }
      yield* state.breaker.turn(attempt.failure)
      this.record({ entry, attempt, outcome })
    }
  )

  private record(result: Result): void {
    measureAttempt(result.entry.delivery, result)
    this.state.inFlight.answered(result.entry)
    readOn(this.state)
    this.services.log.record(result, this.logged)
  }

  private readonly logged = ({ entry, outcome }: Result): void => {
    if (outcome.kind === "Retry") this.state.dueIn(outcome.delayMillis)
    this.ended(entry)
  }

  private mayAttempt(): boolean {
    return !this.state.isGone && !this.state.breaker.isShut()
  }

  private putOff(entry: Entry): void {
    this.state.inFlight.postpone([entry])
    this.ended(entry)
  }

  private ended(entry: Entry): void {
    const { inFlight, webhook, wake } = this.state
    inFlight.end(entry)
    // Entries that wait for this one, for order's sake, can be read now.
    if (webhook.current().definition.ordered) wake()
    else readOn(this.state)
  }

  /** After a defect the entry's lease ends, and it is claimed and attempted again. */
  private surviving(entry: Entry, work: Work): Work {
    return Effect.onError(work, () => Effect.sync(() => this.ended(entry))).pipe(
      logDefectAndContinue(`an attempt of webhook ${this.state.id}`),
      Effect.annotateLogs(idsOf(entry.delivery))
    )
  }
}

/** Wakes the reader where a good part of the room is free, instead of once per entry. */
const readOn = ({ inFlight, webhook, hasMore, wake }: ActorState): void => {
  const { maxInFlight } = webhook.current().definition
  if ((hasMore || inFlight.hasNotBegun) && inFlight.isHalfFree(maxInFlight)) wake()
}

const turnOff = (webhook: number, status: number) =>
  disable(webhook, `its receiver answered ${status} to say that it wants nothing any more`).pipe(
    Effect.tapError((error) => Effect.logWarning(`deliver: webhook ${webhook} was not disabled: ${inWords(error)}`)),
    Effect.ignore
  )
