/**
 * The actor of one webhook in this process: reads its entries while it has room, and sees each through one attempt.
 *
 * It lives in a fiber of its own. What a slow receiver fills is this actor's room and its own stream, nothing else.
 */
import { Clock, Effect, FiberHandle, FiberSet, Queue, Random, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inWords } from "../Telemetry.ts"
import { type Entry, Streams } from "../stream/Streams.ts"
import { Templates } from "../template/Template.ts"
import type { Definition } from "./Definition.ts"
import { disable } from "./Disable.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import type { Failure, Outcome } from "./Outcome.ts"
import { buildRequest } from "./Request.ts"
import { decide } from "./RetrySchedule.ts"
import { send } from "./Send.ts"

export interface Actor {
  readonly id: number
  /** Something may be there to read. */
  readonly wake: () => void
  /** Takes over entries whose holder is gone. */
  readonly adopt: (entries: ReadonlyArray<Entry>) => void
  /** From now on attempts follow this definition. */
  readonly redefine: (definition: Definition) => void
  /** What is being worked on. */
  readonly inFlight: () => ReadonlyArray<Entry>
  /** Something waits that is due in so many milliseconds. */
  readonly dueIn: (millis: number) => void
}

/** Pause before reading is tried again when Redis is away. */
const readPause = "500 millis"

/** Time that attempts under way get to end when the actor does; what is left is attempted again, by whoever reads next. */
const graceMillis = 10_000

/** Of an attempt that never came to a request. */
const unsent = {
  response: undefined,
  isGone: false,
  phases: { dns: undefined, connect: undefined, tls: undefined, firstByte: undefined, body: undefined }
}

/** Starts the actor in the scope. */
export const startActor = (
  first: Definition
): Effect.Effect<Actor, never, Scope.Scope | Streams | Templates | DeliveryLog | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const streams = yield* Streams
    const log = yield* DeliveryLog
    const templates = yield* Templates
    const sql = yield* SqlClient.SqlClient
    const inFlight = new Map<string, Entry>()
    /** The receiver said that it wants no more; the row says so too, or will in a moment. */
    let isGone = false
    // One signal is as good as many.
    const signals = yield* Queue.sliding<void>(1)
    const attempts = yield* FiberSet.make<void>()
    const runAttempt = yield* FiberSet.runtime(attempts)()
    const timer = yield* FiberHandle.make<void>()
    const runTimer = yield* FiberHandle.runtime(timer)()
    let definition = first
    let nextDue = Number.POSITIVE_INFINITY
    let more = false

    const wake = () => void Queue.offerUnsafe(signals, undefined)
    const start = (entry: Entry) => {
      const key = `${entry.stream} ${entry.entryId}`
      if (inFlight.has(key)) return
      inFlight.set(key, entry)
      const done = Effect.sync(() => {
        inFlight.delete(key)
        // Read on when a good part is free, not once per entry.
        if (more && inFlight.size <= definition.maxInFlight / 2) wake()
      })
      runAttempt(Effect.ensuring(seeThrough(entry), done))
    }

    const seeThrough = Effect.fnUntraced(function* (entry: Entry) {
      const { delivery } = entry
      const current = definition
      const started = yield* Clock.currentTimeMillis
      const sent = yield* buildRequest(current, delivery, templates).pipe(
        Effect.flatMap((outgoing) =>
          Effect.map(send(outgoing, current.connections, current.timeoutMillis, started), (sent) => ({
            ...sent,
            url: outgoing.url
          }))
        ),
        Effect.catch((failure: Failure) => Effect.succeed({ ...unsent, failure, url: current.url }))
      )
      const ended = yield* Clock.currentTimeMillis
      const outcome: Outcome =
        sent.failure === undefined
          ? { kind: "Delivered" }
          : yield* decide(current.schedule, {
              failure: sent.failure,
              attempts: delivery.spent + 1,
              elapsedMillis: ended - (delivery.firstAttempt || started),
              random: yield* Random.next
            })
      const attempt = { number: delivery.attempts + 1, started, durationMillis: ended - started, ...sent }
      // Before the log, which others wait for too: no further request leaves for a receiver that is gone.
      if (sent.isGone) yield* turnOff(current.id, sent.response!.status)
      yield* log.record({ entry, attempt, outcome })
      if (outcome.kind === "Retry") dueIn(outcome.delayMillis)
    })

    const turnOff = (webhook: number, status: number) => {
      isGone = true
      return disable(webhook, `its receiver answered ${status} to say that it wants nothing any more`).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.tapError((error) =>
          Effect.logWarning(`deliver: webhook ${webhook} was not disabled: ${inWords(error)}`)
        ),
        Effect.ignore
      )
    }

    const dueIn = (millis: number) => {
      const due = performance.now() + millis
      if (due >= nextDue) return
      nextDue = due
      runTimer(Effect.andThen(Effect.sleep(millis), promote))
    }

    const promote: Effect.Effect<void> = Effect.suspend(() => {
      nextDue = Number.POSITIVE_INFINITY
      return streams.promote(definition.id)
    }).pipe(
      Effect.map(({ moved, next }) => {
        if (moved > 0) wake()
        if (next !== undefined) dueIn(next)
      }),
      Effect.catch(() => Effect.sync(() => dueIn(1000)))
    )

    /** How many more attempts may begin. */
    const room = () => (isGone ? 0 : definition.maxInFlight - inFlight.size)

    const readAll = Effect.gen(function* () {
      for (let count = room(); count > 0; count = room()) {
        const entries = yield* streams.read(definition.id, count)
        more = entries.length >= count
        for (const entry of entries) start(entry)
        if (!more) return
      }
    }).pipe(
      Effect.tapError((error) =>
        Effect.logWarning(`deliver: webhook ${definition.id} cannot be read: ${error.message}`)
      ),
      Effect.catch(() => Effect.andThen(Effect.sleep(readPause), Effect.sync(wake)))
    )

    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(attempts).pipe(
        Effect.timeoutOption(graceMillis),
        Effect.andThen(Effect.promise(() => definition.connections.agent.destroy()))
      )
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(signals), readAll)))
    yield* promote
    wake()
    return {
      id: first.id,
      wake,
      adopt: (entries) => entries.forEach(start),
      redefine: (next) => {
        void definition.connections.agent.close()
        definition = next
        isGone = false
        wake()
      },
      inFlight: () => [...inFlight.values()],
      dueIn
    }
  })
