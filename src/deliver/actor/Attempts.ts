/**
 * The attempts of an actor: each entry from its begin to the delivery log.
 *
 * Responsible for: the waits of an attempt, its answer's effect on the webhook, and its record. Guarantees: an entry is
 * attempted at most once at a time; it leaves this process's hands only when its outcome is logged, or when it is
 * postponed. Does not: read entries, nor decide how many may begin.
 *
 * Most entries need nothing but their request. They go through plain functions: a fiber for each would cost more than
 * the rest of an attempt. Entries that wait (for a slot of the rate limit, their lease, their body, a rendering, a
 * token) and entries that fail go on in a fiber, and so do batches: one request for several entries, each with a record
 * and an outcome of its own.
 */
import { Clock, Effect, Random, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { Pace, type PaceValues } from "../../eventloop/Pace.ts"
import { inWords } from "../../telemetry/Telemetry.ts"
import type { Entry } from "../../queue/Entry.ts"
import { Streams } from "../../queue/Streams.ts"
import { Templates } from "../../template/Template.ts"
import { type AttemptExchange, attemptPlainly, failUnsent, makeAttempt, outcomeOf, sharedBy } from "./Attempt.ts"
import { EventBodies, type DeliveryWithBody } from "../../changelog/EventBodies.ts"
import { batchOf } from "../../webhook/Batch.ts"
import { untilAnswered, withConfigContexts } from "../../webhook/ConfigContexts.ts"
import type { Definition } from "../../webhook/Definition.ts"
import { loopFailure } from "../../webhook/Chain.ts"
import type { Attempt } from "../../log/Attempt.ts"
import { DeliveryLog } from "../../log/DeliveryLog.ts"
import { logDefectAndContinue } from "../../eventloop/LogDefect.ts"
import { idsOf, measureAttempt } from "../../log/Measured.ts"
import type { Answer, Failure, Outcome } from "../../event/Outcome.ts"
import { disable } from "../Disable.ts"
import { wantsNoMore } from "../../transport/Send.ts"
import type { ActorParts } from "./ActorParts.ts"
import { withBodyRoom } from "./BodyRoom.ts"
import { inRateSlot } from "./RateSlot.ts"
import type { Reading, Start } from "../reading/Reading.ts"

/**
 * At the end of the scope attempts under way get time to end; then the other entries are handed back. `fork` lives
 * longer than the webhook's connections: attempts that their end cuts off are logged.
 */
export const makeAttempts = Effect.fnUntraced(function* (parts: ActorParts, reading: Reading, fork: Fork) {
  const services = {
    streams: yield* Streams,
    templates: yield* Templates,
    bodies: yield* EventBodies,
    log: yield* DeliveryLog,
    clock: yield* Clock.Clock,
    pace: (yield* Pace).deliver
  }
  const attempts = new Attempts(parts, reading, services, fork)
  yield* Effect.addFinalizer(() => attempts.end)
  return attempts.start satisfies Start
})

interface Services {
  readonly streams: Streams["Service"]
  readonly templates: Templates["Service"]
  readonly bodies: EventBodies["Service"]
  readonly log: DeliveryLog["Service"]
  readonly clock: Clock.Clock
  readonly pace: PaceValues["deliver"]
}

type Work = Effect.Effect<void, never, Streams | SqlClient.SqlClient>

type Fork = (work: Work) => unknown

class Attempts {
  private readonly parts: ActorParts
  private readonly reading: Reading
  private readonly services: Services
  private readonly fork: Fork

  constructor(parts: ActorParts, reading: Reading, services: Services, fork: Fork) {
    this.parts = parts
    this.reading = reading
    this.services = services
    this.fork = fork
  }

  readonly start: Start = (entries, waitMillis) => {
    const { webhook, inFlight } = this.parts
    const { streams, clock } = this.services
    const begun = this.withoutLoops(entries.filter((entry) => inFlight.begin(entry)))
    const [entry] = begun
    if (entry === undefined) return
    inFlight.countAsOne(begun)
    const current = webhook.current()
    const isLong = entry.delivery.chars !== undefined
    const isPrepared = current.isRendered || current.tokens !== undefined || current.definition.batch !== undefined
    const waits = waitMillis > 0 || isPrepared || isLong || begun.length > 1 || !streams.isOurs(entry)
    if (waits) this.fork(this.surviving(begun, this.waitAndAttempt(begun, waitMillis)))
    else if (!this.mayAttempt(begun)) this.putOff(begun)
    else attemptPlainly(current, entry, clock.currentTimeMillisUnsafe(), (attempt) => this.answered(begun, attempt))
  }

  /** Fails deliveries that would continue a loop; returns the others. */
  private withoutLoops(begun: ReadonlyArray<Entry>): ReadonlyArray<Entry> {
    const { id, webhook, loops } = this.parts
    return begun.filter((entry) => {
      const failure = loopFailure(entry.delivery)
      if (failure === undefined) return true
      if (loops.stop(id)) this.fork(Effect.logWarning(`deliver: webhook ${id} is stopped. ${failure.message}`))
      const now = this.services.clock.currentTimeMillisUnsafe()
      this.answered([entry], failUnsent(webhook.current().definition, entry, now, failure))
      return false
    })
  }

  /** Waits for the attempts under way, and hands back the entries that are left. */
  readonly end = Effect.suspend(() => {
    this.parts.mode.turn("end")
    return Effect.timeoutOption(this.parts.inFlight.awaitNone, this.services.pace.graceMillis)
  }).pipe(
    Effect.andThen(Effect.suspend(() => this.services.streams.handBack(this.parts.id, this.parts.inFlight.all()))),
    Effect.ignore,
    Effect.ensuring(Effect.sync(() => this.parts.inFlight.leave()))
  )

  /** Waits for everything that the attempt needs, and keeps its entries until the answer. */
  private readonly waitAndAttempt = Effect.fnUntraced(
    { self: this },
    function* (this: Attempts, begun: ReadonlyArray<Entry>, waitMillis: number) {
      const { webhook } = this.parts
      if (waitMillis > 0) yield* inRateSlot(() => webhook.current().definition, waitMillis)
      const entries = yield* this.withoutLost(begun)
      const [first] = entries
      if (first === undefined) return
      // No event in a batch of several is long.
      const attempt = yield* this.services.bodies.use(first.delivery, webhook.current().isRendered, (loaded) =>
        withBodyRoom(this.services.templates, webhook.current().definition, (templates, settle) =>
          this.attempt(entries, loaded, templates, settle)
        )
      )
      if (attempt === undefined) this.putOff(entries)
      else if (entries.length > 1 && isOfTemplates(attempt)) this.halve(entries)
      else if (entries.length > 1 && isTooLarge(attempt)) yield* this.shrink(entries)
      else this.answered(entries, attempt)
    }
  )

  /** Undefined if it may not be made now. The definition is the current one, also after a wait. */
  private attempt(
    entries: ReadonlyArray<Entry>,
    loaded: Result.Result<DeliveryWithBody, Failure>,
    templates: Templates["Service"],
    settle: (bytes: number) => void
  ) {
    const current = this.parts.webhook.current()
    const { batch } = current.definition
    if (!this.mayAttempt(entries) || (batch === undefined && entries.length > 1)) return Effect.undefined
    const others = entries.slice(1).map(({ delivery }) => delivery)
    return withContexts(current.definition, loaded, others).pipe(
      Effect.map(Result.map((all) => (batch === undefined ? all[0]! : batchOf(all, batch)))),
      Effect.flatMap((content) => makeAttempt(current, entries[0]!, content, templates, settle))
    )
  }

  /** Drops entries whose lease expired and that another process claimed or ended; returns the others. */
  private readonly withoutLost = Effect.fnUntraced(
    { self: this },
    function* (this: Attempts, entries: ReadonlyArray<Entry>) {
      const { streams } = this.services
      const { id, inFlight, webhook } = this.parts
      const doubtful = entries.filter((entry) => !streams.isOurs(entry))
      if (doubtful.length === 0) return entries
      const lost = new Set(yield* streams.keep(id, doubtful).pipe(Effect.orElseSucceed(() => doubtful)))
      const held = entries.filter((entry) => !lost.has(entry))
      // An entry that follows a lost one of its object has to wait for it.
      const mayOvertake = lost.size > 0 && webhook.current().definition.ordered
      const left = mayOvertake ? yield* streams.park(id, held).pipe(Effect.orElseSucceed(() => [])) : held
      for (const entry of entries) if (!left.includes(entry)) this.ended(entry)
      inFlight.countAsOne(left)
      return left
    }
  )

  /** The entries shared the request of an attempt of the first of them. */
  private answered(entries: ReadonlyArray<Entry>, first: AttemptExchange): void {
    const each = entries.length === 1 ? [first] : entries.map((entry) => sharedBy(entry, first))
    const { response, failure } = first.answer
    const isPlain = failure === undefined && !wantsNoMore(response!) && this.parts.breaker.isCalm()
    if (isPlain) this.record(each.map((attempt) => ({ ...attempt, outcome: delivered })))
    else this.fork(this.surviving(entries, this.follow(each, first.answer)))
  }

  /** Applies the answer to the webhook, and to the deliveries. */
  private readonly follow = Effect.fnUntraced(
    { self: this },
    function* (this: Attempts, each: ReadonlyArray<AttemptExchange>, { response, failure }: Answer) {
      const { parts } = this
      // The same for all: entries with as many attempts are due at the same time again.
      const random = yield* Random.next
      const { definition } = parts.webhook.current()
      const attempts = yield* Effect.forEach(each, (attempt) =>
        Effect.map(outcomeOf(definition, attempt, random), (outcome) => ({ ...attempt, outcome }))
      )
      if (response !== undefined && wantsNoMore(response)) {
        parts.mode.turn("dismiss")
        // Before the log, which others wait for too: no further request is sent to a receiver that answered 410.
        yield* turnOff(parts.id, response.status)
      }
      yield* parts.breaker.turn(failure, isUrgent(each.map(({ entry }) => entry)))
      this.record(attempts)
    }
  )

  private record(attempts: ReadonlyArray<Attempt>): void {
    for (const attempt of attempts) {
      measureAttempt(attempt)
      this.parts.inFlight.answered(attempt.entry)
    }
    this.reading.readOn()
    this.services.log.record(attempts, this.logged)
  }

  private readonly logged = ({ entry, outcome }: Attempt): void => {
    if (outcome.kind === "Retry") this.parts.dueIn(outcome.delayMillis)
    this.ended(entry)
  }

  private mayAttempt(entries: ReadonlyArray<Entry>): boolean {
    return this.parts.mode.mayAttempt && (isUrgent(entries) || !this.parts.breaker.isShut())
  }

  private putOff(entries: ReadonlyArray<Entry>): void {
    this.parts.inFlight.postpone(entries)
    for (const entry of entries) this.ended(entry)
  }

  /** Nothing was taken, for one event's sake perhaps: the others must not fail with it. */
  private halve(entries: ReadonlyArray<Entry>, times = 1): void {
    const { inFlight, gathering, wake } = this.parts
    gathering.halve(entries.length, times)
    inFlight.putBack(entries)
    for (const entry of entries) this.ended(entry)
    wake()
  }

  /** The receiver takes no body of this length. It answered, so it is there; no delivery of the batch failed. */
  private shrink(entries: ReadonlyArray<Entry>) {
    return Effect.andThen(
      this.parts.breaker.turn(undefined),
      Effect.sync(() => this.halve(entries, refusedTimes))
    )
  }

  private ended(entry: Entry): void {
    this.parts.inFlight.end(entry)
    this.reading.readBehind()
  }

  /** After a defect the leases of its entries end, and they are claimed and attempted again. */
  private surviving(entries: ReadonlyArray<Entry>, work: Work): Work {
    return Effect.onError(work, () => Effect.sync(() => entries.forEach((entry) => this.ended(entry)))).pipe(
      logDefectAndContinue(`an attempt of webhook ${this.parts.id}`),
      Effect.annotateLogs(idsOf(entries[0]!.delivery))
    )
  }
}

/** The deliveries of an attempt, with the config contexts that the webhook's templates name. */
const withContexts = (
  { identity, headers, bodyTemplate }: Definition,
  loaded: Result.Result<DeliveryWithBody, Failure>,
  others: ReadonlyArray<DeliveryWithBody>
): Effect.Effect<Result.Result<ReadonlyArray<DeliveryWithBody>, Failure>, never, SqlClient.SqlClient> => {
  if (Result.isFailure(loaded)) return Effect.succeed(Result.fail(loaded.failure))
  const texts = [identity.address, headers, bodyTemplate]
  return Effect.map(untilAnswered(withConfigContexts(texts, [loaded.success, ...others])), Result.succeed)
}

const delivered: Outcome = { kind: "Delivered" }

/** Whether they do not wait for an open breaker. */
const isUrgent = (entries: ReadonlyArray<Entry>): boolean => entries.every(({ stream }) => stream === "urgent")

/** Whether the attempt sent no request because of the templates, or of their input. */
const isOfTemplates = ({ answer: { failure } }: AttemptExchange): boolean =>
  failure?.reason === "Render" || failure?.reason === "Overrun"

const isTooLarge = ({ answer: { response } }: AttemptExchange): boolean => response?.status === 413

/** For how many times as many deliveries as a receiver refused together batches stay smaller. */
const refusedTimes = 20

const turnOff = (webhook: number, status: number) =>
  disable(webhook, `its receiver answered ${status} to say that it wants nothing any more`).pipe(
    Effect.tapError((error) => Effect.logWarning(`deliver: webhook ${webhook} was not disabled: ${inWords(error)}`)),
    Effect.ignore
  )
