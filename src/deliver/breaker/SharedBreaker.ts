/**
 * A webhook's circuit breaker in all processes: what one learns of the receiver, the others are told, and when its time
 * is over a single attempt probes, whichever process makes it.
 *
 * What is shared may be lost. Then each process goes by what it knows, and opens its own.
 */
import { Effect } from "effect"
import type { BreakerNews } from "../../stream/Breaker.ts"
import { Streams } from "../../stream/Streams.ts"
import { type Breaker, afterAttempt, closedBreaker } from "./Breaker.ts"
import { noteBreaker } from "./BreakerTable.ts"
import type { Failure } from "../outcome/Outcome.ts"

export interface Guarded {
  breaker: Breaker
  readonly definition: { readonly id: number; readonly timeoutMillis: number }
  readonly wake: () => void
}

/** Time that a probe may take beyond its attempt, milliseconds. */
const probeMargin = 2000

/** Whether the actor may begin an attempt: always while the breaker is closed, and as the one that probes. */
export const mayBegin = Effect.fnUntraced(function* (guarded: Guarded) {
  if (guarded.breaker.until === undefined) return true
  const { id, timeoutMillis } = guarded.definition
  const wait = yield* (yield* Streams).beginProbe(id, timeoutMillis + probeMargin)
  if (wait > 0) guarded.breaker = { ...guarded.breaker, until: performance.now() + wait }
  return wait === 0
})

/** Takes over what another process says. */
export const learn = (guarded: Guarded, { openMillis, openings }: BreakerNews): void => {
  const { breaker } = guarded
  if (openMillis === 0 && openings === 0) guarded.breaker = closedBreaker
  else {
    const until = performance.now() + openMillis
    guarded.breaker = { ...breaker, until, openings: Math.max(breaker.openings, openings) }
  }
  guarded.wake()
}

/** Takes over how others left it. */
export const learnAtStart = (guarded: Guarded) =>
  Effect.gen(function* () {
    const news = yield* (yield* Streams).breakerOf(guarded.definition.id)
    if (news.openings > 0 || news.openMillis > 0) learn(guarded, news)
  }).pipe(Effect.ignore)

/** After an attempt: opens or closes it, here and elsewhere. */
export const turnBreaker = Effect.fnUntraced(function* (
  guarded: Guarded,
  failure: Failure | undefined,
  reopen: (millis: number) => void
) {
  const before = guarded.breaker
  const now = performance.now()
  const after = afterAttempt(before, now, failure)
  guarded.breaker = after
  if (after.until === before.until) return
  const { id } = guarded.definition
  const streams = yield* Streams
  if (after.until === undefined) {
    guarded.wake()
    yield* Effect.ignore(streams.closeBreaker(id))
    return yield* noteBreaker(id, undefined, "")
  }
  const openMillis = after.until - now
  reopen(openMillis)
  yield* Effect.ignore(streams.openBreaker({ webhook: id, openMillis, openings: after.openings }))
  yield* noteBreaker(id, openMillis, failure?.message ?? "")
})
