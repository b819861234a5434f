/**
 * The delivery log: after every attempt, first the rows in Postgres, then the entry in Redis.
 *
 * Outcomes of all webhooks are written in batches: while one is being written, the next one gathers. An entry is
 * acknowledged only when its outcome is in the log; after a crash before that it is attempted once more.
 */
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import { Pace, type PaceValues } from "../eventloop/Pace.ts"
import { Stall } from "../eventloop/Stall.ts"
import { inWords } from "../telemetry/Telemetry.ts"
import type { Delivery } from "../event/Delivery.ts"
import type { Settled } from "../queue/Entry.ts"
import { Streams } from "../queue/Streams.ts"
import { writeRows } from "./AttemptRows.ts"
import type { Result } from "./Result.ts"
import type { Attempt } from "../event/Outcome.ts"
import { logDefectAndContinue } from "../eventloop/LogDefect.ts"
import { measureBatch } from "./Measured.ts"

/** Outcomes after which a batch is full; those of one request stay together. */
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

type OnLogged = (result: Result) => void

type Waiting = readonly [results: ReadonlyArray<Result>, onLogged: OnLogged]

/** Takes out what makes the next batch. */
const takeBatch = (waiting: Array<Waiting>): ReadonlyArray<Waiting> => {
  let outcomes = 0
  const end = waiting.findIndex(([results]) => (outcomes += results.length) >= batchMax)
  return waiting.splice(0, end === -1 ? waiting.length : end + 1)
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Calls back with each result when all of them are in the log and their entries are settled, in one step. */
    readonly record: (results: ReadonlyArray<Result>, onLogged: OnLogged) => void
    /** A sentence if outcomes cannot be written. */
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
        const results = batch.flatMap(([results]) => results)
        const begun = performance.now()
        yield* logDefectAndContinue("the delivery log")(stall.watch(write(results, stall)))
        const took = performance.now() - begun
        // After a defect as well: when the lease is over the entries are claimed and attempted again.
        for (const [results, onLogged] of batch) results.forEach((result) => onLogged(result))
        if (batch.length > 0) yield* Effect.sleep(Math.min(Math.max(gatherMillis, took), gatherMillisMax))
      })
      yield* Effect.forkScoped(Effect.forever(writer))
      return DeliveryLog.of({
        problems: Effect.sync(() => stall.problems()),
        record: (results, onLogged) => {
          waiting.push([results, onLogged])
          Queue.offerUnsafe(signals, undefined)
        }
      })
    })
  )
}

const write = Effect.fnUntraced(function* (all: ReadonlyArray<Result>, stall: Stall) {
  const untilItSucceeds = repeating(stall)
  const results = yield* ours(all, untilItSucceeds)
  if (results.length === 0) return
  const begun = performance.now()
  const discarded = yield* untilItSucceeds("delivery log", writeRows(results))
  yield* untilItSucceeds("streams", settleAll(results, discarded))
  measureBatch(results.length, begun)
})

/** The results whose entries this process still holds. Another process that claimed an entry repeats its attempt. */
const ours = Effect.fnUntraced(function* (results: ReadonlyArray<Result>, untilItSucceeds: Repeat) {
  const streams = yield* Streams
  const doubtful = results.filter(({ entry }) => !streams.isOurs(entry)).map(({ entry }) => entry)
  const byWebhook = Map.groupBy(doubtful, ({ delivery }) => delivery.webhook)
  const lost = yield* Effect.forEach(byWebhook, ([webhook, entries]) =>
    untilItSucceeds("streams", streams.keep(webhook, entries))
  )
  const gone = new Set(lost.flat())
  return results.filter(({ entry }) => !gone.has(entry))
})

type Repeat = <A, R>(what: string, effect: Effect.Effect<A, unknown, R>) => Effect.Effect<A, never, R>

/** Repeats an effect until it succeeds; the stall tells why it did not. */
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

const settleAll = Effect.fnUntraced(function* (results: ReadonlyArray<Result>, discarded: ReadonlySet<string>) {
  const streams = yield* Streams
  const settled = (result: Result) =>
    discarded.has(result.entry.delivery.id) ? { entry: result.entry } : settledAs(result)
  const byWebhook = Map.groupBy(results, ({ entry }) => entry.delivery.webhook)
  yield* Effect.forEach(byWebhook, ([webhook, each]) => streams.settle(webhook, each.map(settled)), {
    concurrency: "unbounded",
    discard: true
  })
})

const settledAs = ({ entry, attempt, outcome }: Result): Settled => ({
  entry,
  later:
    outcome.kind === "Retry"
      ? {
          delayMillis: outcome.delayMillis,
          delivery: { ...attempted(entry.delivery, attempt), due: dueAt(attempt, outcome.delayMillis) }
        }
      : undefined
})

/** When the next attempt is due, milliseconds since 1970. */
const dueAt = ({ started, durationMillis }: Attempt, delayMillis: number): number =>
  started + durationMillis + delayMillis

const attempted = (delivery: Delivery, attempt: Attempt): Delivery => ({
  ...delivery,
  ...(attempt.failure?.reason === "Overrun" && { overruns: (delivery.overruns ?? 0) + 1 }),
  attempts: attempt.number,
  spent: delivery.spent + 1,
  firstAttempt: delivery.firstAttempt || attempt.started
})
