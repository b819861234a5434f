/**
 * The delivery log: after every attempt, first the rows in Postgres, then the entry in Redis.
 *
 * Attempts of all webhooks are written in batches: while one is being written, the next one gathers. An entry is
 * acknowledged only when its outcome is in the log; after a crash before that it is attempted once more.
 */
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import { Pace, type PaceValues } from "../eventloop/Pace.ts"
import { Stall } from "../eventloop/Stall.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { Entry, Settlement } from "../queue/Entry.ts"
import { absentAmong } from "../queue/reconcile/Deleted.ts"
import { Streams } from "../queue/Streams.ts"
import { writeRows } from "./AttemptRows.ts"
import type { Attempt } from "./Attempt.ts"
import { logDefectAndContinue } from "../eventloop/LogDefect.ts"
import { measureBatch } from "./Measured.ts"

/** Attempts after which a batch is full; attempts that shared a request stay together. */
const batchMax = 500

/**
 * Time in which the next batch gathers, milliseconds: as long as the last one took, within these bounds. A batch of one
 * outcome costs as much as a large one, and where many processes write, each write takes long.
 */
const gatherMillis = 5
const gatherMillisMax = 25

/** Pauses before a batch is tried again when Postgres or Redis is away. */
const pauses = ({ logRetryMinMillis, logRetryMaxMillis }: PaceValues["deliver"]) =>
  Schedule.min([Schedule.exponential(logRetryMinMillis, 2), Schedule.spaced(logRetryMaxMillis)])

type OnLogged = (attempt: Attempt) => void

type Waiting = readonly [attempts: ReadonlyArray<Attempt>, onLogged: OnLogged]

/** Takes out what makes the next batch. */
const takeBatch = (waiting: Array<Waiting>): ReadonlyArray<Waiting> => {
  let count = 0
  const end = waiting.findIndex(([attempts]) => (count += attempts.length) >= batchMax)
  return waiting.splice(0, end === -1 ? waiting.length : end + 1)
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Calls back with each attempt when all of them are in the log and their entries are settled, in one step. */
    readonly record: (attempts: ReadonlyArray<Attempt>, onLogged: OnLogged) => void
    /** A sentence if attempts cannot be written. */
    readonly problems: Effect.Effect<ReadonlyArray<string>>
  }
>()("rackwire/log/DeliveryLog") {
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const { logStalledMillis } = (yield* Pace).deliver
      const stall = new Stall("the delivery log has not been written", logStalledMillis)
      // One signal is as good as many.
      const signals = yield* Queue.sliding<void>(1)
      const waiting: Array<Waiting> = []
      const writer = Effect.gen(function* () {
        if (waiting.length === 0) yield* Queue.take(signals)
        const batch = takeBatch(waiting)
        const attempts = batch.flatMap(([each]) => each)
        const begun = performance.now()
        yield* logDefectAndContinue("the delivery log")(stall.watch(write(attempts, stall)))
        const took = performance.now() - begun
        // After a defect as well: when the lease is over the entries are claimed and attempted again.
        for (const [each, onLogged] of batch) each.forEach((attempt) => onLogged(attempt))
        if (batch.length > 0) yield* Effect.sleep(Math.min(Math.max(gatherMillis, took), gatherMillisMax))
      })
      yield* Effect.forkScoped(Effect.forever(writer))
      return DeliveryLog.of({
        problems: Effect.sync(() => stall.problems()),
        record: (attempts, onLogged) => {
          waiting.push([attempts, onLogged])
          Queue.offerUnsafe(signals, undefined)
        }
      })
    })
  )
}

const write = Effect.fnUntraced(function* (all: ReadonlyArray<Attempt>, stall: Stall) {
  const untilItSucceeds = repeating(stall)
  const attempts = yield* ours(all, untilItSucceeds)
  if (attempts.length === 0) return
  const begun = performance.now()
  const discarded = yield* untilItSucceeds("delivery log", writeRows(attempts))
  yield* untilItSucceeds("streams", settleAll(attempts, discarded))
  measureBatch(attempts.length, begun)
})

/**
 * The attempts whose entries this process still leases, or nobody: another process that claimed an entry repeats its
 * attempt, but the streams of a deleted webhook do not exist.
 */
const ours = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempt>, untilItSucceeds: Repeat) {
  const streams = yield* Streams
  const doubtful = attempts.filter(({ entry }) => !streams.isOurs(entry)).map(({ entry }) => entry)
  if (doubtful.length === 0) return attempts
  const byWebhook = Map.groupBy(doubtful, ({ delivery }) => delivery.webhook)
  const lost = yield* Effect.forEach(byWebhook, ([webhook, entries]) =>
    untilItSucceeds("streams", streams.keep(webhook, entries))
  )
  const elsewhere = new Set(lost.flat())
  const deleted = new Set(yield* untilItSucceeds("delivery log", absentAmong(webhooksOf(elsewhere))))
  return attempts.filter(({ entry }) => !elsewhere.has(entry) || deleted.has(entry.delivery.webhook))
})

const webhooksOf = (entries: ReadonlySet<Entry>): ReadonlyArray<number> => [
  ...new Set(Array.from(entries, ({ delivery }) => delivery.webhook))
]

type Repeat = <A, R>(what: string, effect: Effect.Effect<A, unknown, R>) => Effect.Effect<A, never, R>

/** Repeats an effect until it succeeds; the stall has the reason of the last failure. */
const repeating =
  (stall: Stall): Repeat =>
  (what, effect) =>
    effect.pipe(
      Effect.tapError((error) => {
        stall.failed(error)
        return Effect.logWarning(`deliver: the ${what} failed, trying again: ${inWords(error)}`)
      }),
      (again) => Effect.flatMap(Pace, ({ deliver }) => Effect.retry(again, pauses(deliver))),
      Effect.orDie
    )

const settleAll = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempt>, discarded: ReadonlySet<string>) {
  const streams = yield* Streams
  const settled = (attempt: Attempt) =>
    discarded.has(attempt.entry.delivery.id) ? { entry: attempt.entry } : settledAs(attempt)
  const byWebhook = Map.groupBy(attempts, ({ entry }) => entry.delivery.webhook)
  yield* Effect.forEach(byWebhook, ([webhook, each]) => streams.settle(webhook, each.map(settled)), {
    concurrency: "unbounded",
    discard: true
  })
})

const settledAs = (attempt: Attempt): Settlement => {
  const { entry, outcome } = attempt
  if (outcome.kind !== "Retry") return { entry }
  const { delayMillis } = outcome
  return { entry, later: { delayMillis, delivery: { ...attempted(attempt), due: dueAt(attempt, delayMillis) } } }
}

/** When the next attempt is due, milliseconds since 1970. */
const dueAt = ({ started, durationMillis }: Attempt, delayMillis: number): number =>
  started + durationMillis + delayMillis

/** The delivery after the attempt. */
const attempted = ({ entry: { delivery }, number, started, answer }: Attempt): Delivery => ({
  ...delivery,
  ...(answer.failure?.reason === "Overrun" && { overruns: (delivery.overruns ?? 0) + 1 }),
  attempts: number,
  spent: delivery.spent + 1,
  firstAttempt: delivery.firstAttempt || started
})
